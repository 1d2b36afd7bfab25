/** Finds nodes, jobs and swaps by id or name, and pages by their name. */
import { Modal } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { KeyboardEvent } from "react";
import { useId, useState } from "react";
import { useNavigate } from "react-router";

import { searchQuery } from "@/api/queries";
import { words } from "@/format/numbers";
import { Icon } from "@/ui/Icon";

import { pathOf, paths } from "./paths";
import styles from "./search.module.css";
import { useSession } from "./session";

const TYPING_WAIT_MS = 120;

interface Offer {
  key: string;
  kind: string;
  name: string;
  path: string;
}

const PAGES: readonly Offer[] = [
  ["Overview", paths.overview()],
  ["Fleet", paths.fleet()],
  ["Jobs", paths.jobs()],
  ["Swaps", paths.swaps()],
  ["Approvals", paths.approvals()],
  ["Audit: verify the chain", paths.audit()],
  ["Settings: brake, limits and held ranks", paths.settings()],
  ["Settings: tokens of programs", paths.tokens()],
  ["Settings: webhooks", paths.webhooks()],
].map(([name, path]) => ({ key: `page ${name}`, kind: "page", name: name ?? "", path: path ?? "/" }));

function useOffers(text: string): { offers: Offer[]; searching: boolean } {
  const { tenant } = useSession();
  const [settled] = useDebouncedValue(text.trim(), TYPING_WAIT_MS);
  const found = useQuery(searchQuery(settled, tenant.id));
  const pages = PAGES.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  const hits = (found.data ?? []).map((hit) => ({
    key: `${hit.kind} ${hit.id}`,
    kind: hit.kind,
    name: hit.name,
    path: pathOf(hit.kind, hit.id) ?? hit.path,
  }));
  return { offers: text.trim() ? [...hits, ...pages] : pages, searching: found.isFetching };
}

export default function Search({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const { offers, searching } = useOffers(text);
  const navigate = useNavigate();
  const list = useId();
  const take = (offer: Offer | undefined) => {
    if (!offer) return;
    onClose();
    void navigate(offer.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((old) => (old + step + offers.length) % Math.max(1, offers.length));
    } else if (event.key === "Enter") take(offers[at]);
  };
  return (
    <Modal opened onClose={onClose} withCloseButton={false} padding={0} radius={12} size={560} yOffset="14vh" title={null} aria-label="Find">
      <div className={styles.field}>
        <Icon name="search" />
        <input
          data-autofocus
          role="combobox"
          aria-label="Find a node, job or swap"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={offers[at] ? `${list}-${at}` : undefined}
          placeholder="Name or id"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul id={list} role="listbox" aria-label="Found" className={styles.list}>
        {offers.map((offer, index) => (
          // the keys are handled by the field above, which keeps the focus
          <li
            key={offer.key}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseMove={() => setAt(index)}
            onClick={() => take(offer)}
          >
            <span className="clip">{offer.name}</span>
            <span className="dim small">{words(offer.kind)}</span>
          </li>
        ))}
      </ul>
      {offers.length === 0 && !searching ? (
        <p className={styles.none}>Nothing of that name. Ids can be pasted whole.</p>
      ) : null}
    </Modal>
  );
}
