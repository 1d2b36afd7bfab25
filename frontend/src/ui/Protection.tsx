import type { Protection } from "@/api/types";

import type { IconName } from "./Icon";
import type { TagTone } from "./Tag";
import { Tag } from "./Tag";

interface Look {
  tone: TagTone;
  icon: IconName;
  word: string;
  title: string;
}

const LOOKS: Readonly<Record<Protection, Look>> = {
  protected: {
    tone: "quiet",
    icon: "approvals",
    word: "Protected",
    title: "A mirror holds this state up to the last committed step",
  },
  catching_up: {
    tone: "active",
    icon: "clock",
    word: "Catching up",
    title: "A mirror is being brought up to the committed step; it cannot take over yet",
  },
  unprotected: {
    tone: "loud",
    icon: "warn",
    word: "Unprotected",
    title: "No mirror holds this state: a loss now falls back to the last micro-checkpoint",
  },
  unknown: {
    tone: "hatched",
    icon: "info",
    word: "Protection unknown",
    title: "No report has come that says",
  },
};

export function ProtectionTag({ value }: { value: Protection }) {
  const look = LOOKS[value];
  return (
    <Tag tone={look.tone} icon={look.icon} title={look.title}>
      {look.word}
    </Tag>
  );
}
