import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { isProblem } from "@/api/client";
import { certificateQuery } from "@/api/queries";
import type { Certificate, Swap } from "@/api/types";
import { count, words } from "@/format/numbers";
import { CopyId } from "@/ui/CopyId";
import { download } from "@/ui/download";
import { Facts, Panel } from "@/ui/Panel";
import { Icon } from "@/ui/Icon";
import { Skeleton } from "@/ui/States";
import { Tag, Unknown } from "@/ui/Tag";

import styles from "./swap.module.css";

const HANDED_OVER: ReadonlySet<string> = new Set(["watching", "completed", "deviated"]);

/** Proof that the target's bits are the source's: digests on both sides, at one version. */
export function CertificatePanel({ swap }: { swap: Swap }) {
  const due = HANDED_OVER.has(swap.state);
  return (
    <Panel title="Certificate">
      {due ? <Issued swap={swap} /> : <p className="dim">It is issued when the rank has changed hands, and proves that nothing was lost.</p>}
    </Panel>
  );
}

function Issued({ swap }: { swap: Swap }) {
  const query = useQuery(certificateQuery(swap.id));
  if (query.data) return <Shown swap={swap} certificate={query.data} verify={() => void query.refetch()} busy={query.isFetching} />;
  if (isProblem(query.error, 404)) return <p className="dim">The coordinator has not sent it yet.</p>;
  if (query.error) return <p role="alert">{query.error.message}</p>;
  return <Skeleton rows={3} />;
}

interface ShownProps {
  swap: Swap;
  certificate: Certificate;
  verify: () => void;
  busy: boolean;
}

const scalars = (document: Record<string, unknown>) =>
  Object.entries(document).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));

function Shown({ swap, certificate, verify, busy }: ShownProps) {
  const file = `certificate-${swap.id}.json`;
  return (
    <>
      <Facts
        items={[
          ["Verified", <Verified key="verified" value={certificate.verified} />],
          ["Digest", <CopyId key="digest" value={certificate.digest} label="digest" />],
          ...scalars(certificate.document).map(
            ([name, value]) => [words(name), <Value key={name} value={value} />] as const,
          ),
        ]}
      />
      <div className={styles.checks}>
        <Button size="xs" variant="default" loading={busy} onClick={verify}>
          Verify now
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={13} />}
          onClick={() => download(file, "application/json", JSON.stringify(certificate.document, null, 2))}
        >
          Download
        </Button>
      </div>
    </>
  );
}

const Value = ({ value }: { value: unknown }) => {
  const text = typeof value === "number" && Number.isInteger(value) ? count(value) : String(value);
  return text.length > 20 && !text.includes(" ") ? <CopyId value={text} label="value" /> : <span className="mono">{text}</span>;
};

function Verified({ value }: { value: boolean | null }) {
  if (value === null) return <Unknown>not checked</Unknown>;
  return value ? (
    <Tag tone="quiet" icon="check">
      Digests agree
    </Tag>
  ) : (
    <Tag tone="loud" icon="warn">
      Does not verify
    </Tag>
  );
}
