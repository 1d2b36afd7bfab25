import { useState } from "react";

import styles from "./copyid.module.css";
import { Icon } from "./Icon";

/** How long the button says that it has copied. */
const SAID_MS = 1500;

/** The characters of a digest or id that are shown; the whole of it is copied. */
const SHOWN_CHARACTERS = 12;

interface CopyIdProps {
  value: string;
  label?: string;
  full?: boolean;
}

const shorten = (value: string): string => {
  const [scheme, rest] = value.includes(":") ? value.split(":", 2) : ["", value];
  // ids sort by time, so those made together begin alike: their ends tell them apart
  const text = scheme ? rest?.slice(0, SHOWN_CHARACTERS) : value.slice(-SHOWN_CHARACTERS);
  return scheme ? `${scheme}:${text}` : `${text}`;
};

export function CopyId({ value, label = "id", full = false }: CopyIdProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), SAID_MS);
  };
  return (
    <button type="button" className={styles.copy} onClick={copy} title={`Copy ${label}: ${value}`}>
      <span className="mono">{full ? value : shorten(value)}</span>
      <Icon name={copied ? "check" : "copy"} size={12} />
      <span className="visually-hidden" role="status">
        {copied ? "Copied" : ""}
      </span>
    </button>
  );
}
