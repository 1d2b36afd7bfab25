/** Racks as they stand: one tile per node, its grade as colour and as shape. */
import type { KeyboardEvent } from "react";
import { memo, useMemo, useState } from "react";
import { Link } from "react-router";

import type { Grade, Layout, NodeTile, Rack } from "@/api/types";
import { paths } from "@/app/paths";
import { useAddress } from "@/app/useAddress";
import { wordsWithin } from "@/format/numbers";
import { rankText } from "@/parts/links";
import { GRADES, GRADE_WORDS, GradeBar, GradeShape } from "@/ui/Grade";

import { tileNext } from "./arrows";
import styles from "./fleet.module.css";

/** From so many nodes on, a tile is only its shape; its words are in its title. */
const NODES_TILED_LARGE_MAX = 200;

const countsOf = (nodes: readonly NodeTile[]): Partial<Record<Grade, number>> => {
  const counts: Partial<Record<Grade, number>> = {};
  for (const { grade } of nodes) counts[grade] = (counts[grade] ?? 0) + 1;
  return counts;
};

/** Racks with a legend, and the domains that can be laid over them. */
export function Standing({ layout }: { layout: Layout }) {
  const { values, set } = useAddress(["domain"]);
  const domains = layout.domains.filter(({ kind }) => kind !== "rack");
  const marked = useMemo(
    () => new Set(values.domain ? (layout.nodes_by_domain[values.domain] ?? []) : []),
    [layout, values.domain],
  );
  return (
    <>
      <div className={styles.legend}>
        <GradeBar counts={countsOf(layout.racks.flatMap((rack) => rack.nodes))} />
        <Keys />
        {domains.length > 0 ? (
          <label className={styles.overlay}>
            Show the domain
            <select className={styles.select} value={values.domain ?? ""} onChange={(event) => set("domain", event.currentTarget.value)}>
              <option value="">none</option>
              {domains.map(({ id, kind, name }) => (
                <option key={id} value={id}>
                  {kind} {name}
                </option>
              ))}
            </select>
          </label>
        ) : null}
      </div>
      <Racks racks={layout.racks} marked={marked} />
    </>
  );
}

const Keys = () => (
  <ul className={styles.keys}>
    <li>
      <i className={styles.keySpare} /> spare
    </li>
    <li>
      <i className={`${styles.keyStale} hatched`} /> stale: no report in time
    </li>
    <li>
      <i className={styles.keyOut} /> not taking ranks
    </li>
  </ul>
);

interface RacksProps {
  racks: readonly Rack[];
  marked: ReadonlySet<string>;
}

function Racks({ racks, marked }: RacksProps) {
  const total = racks.reduce((sum, rack) => sum + rack.nodes.length, 0);
  const small = total > NODES_TILED_LARGE_MAX;
  return (
    <div className={small ? styles.racksSmall : styles.racks}>
      {racks.map((rack) => (
        <RackBox key={rack.rack?.id ?? "none"} rack={rack} small={small} marked={marked} />
      ))}
    </div>
  );
}

const worst = (nodes: readonly NodeTile[]): Grade =>
  GRADES.find((grade) => grade !== "unknown" && nodes.some((node) => node.grade === grade)) ?? "unknown";

interface RackBoxProps {
  rack: Rack;
  small: boolean;
  marked: ReadonlySet<string>;
}

const rackName = (rack: Rack): string => rack.rack?.name ?? "Rack not known";

/** A rack is one stop of the tab key; arrows go from tile to tile within it. */
const RackBox = memo(({ rack, small, marked }: RackBoxProps) => {
  const [at, setAt] = useState(0);
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const tiles = [...event.currentTarget.querySelectorAll("a")];
    const next = tileNext(tiles, event.key);
    if (!next) return;
    event.preventDefault();
    setAt(tiles.indexOf(next));
    next.focus();
  };
  return (
    <section className={styles.rack} aria-label={rackName(rack)}>
      <header>
        <h2>{rackName(rack)}</h2>
        <span className="dim small">
          {small ? "" : `${rack.nodes.length} ${rack.nodes.length === 1 ? "node" : "nodes"}, `}worst {GRADE_WORDS[worst(rack.nodes)].toLowerCase()}
        </span>
      </header>
      {/* the tiles are links; the list only moves the focus among them */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul className={small ? styles.tilesSmall : styles.tiles} onKeyDown={onKeyDown}>
        {rack.nodes.map((node, index) => (
          <li key={node.id} className={marked.has(node.id) ? styles.marked : undefined}>
            <Tile node={node} small={small} isStop={index === Math.min(at, rack.nodes.length - 1)} />
          </li>
        ))}
      </ul>
    </section>
  );
});
RackBox.displayName = "RackBox";

const ranksOf = (node: NodeTile): string[] => node.rank_of.map(rankText);

function describe(node: NodeTile): string {
  const said = [node.name, `grade ${node.grade}`];
  if (node.stale) said.push("stale");
  if (node.is_spare) said.push("spare");
  if (node.state !== "active") said.push(node.state);
  return [...said, ...ranksOf(node)].join(", ");
}

function classOf(node: NodeTile, small: boolean): string {
  const names = [small ? styles.tileSmall : styles.tile, styles[node.grade]];
  if (node.is_spare) names.push(styles.spare);
  if (node.stale || node.grade === "unknown") names.push(styles.stale);
  if (node.state !== "active") names.push(styles.out);
  return names.join(" ");
}

function Tile({ node, small, isStop }: { node: NodeTile; small: boolean; isStop: boolean }) {
  const label = describe(node);
  return (
    <Link to={paths.node(node.id)} className={classOf(node, small)} title={label} aria-label={label} tabIndex={isStop ? 0 : -1}>
      <GradeShape grade={node.grade} size={small ? 12 : 14} />
      {small ? null : <TileWords node={node} />}
    </Link>
  );
}

function TileWords({ node }: { node: NodeTile }) {
  const note = node.stale ? "stale" : node.state === "active" ? "" : wordsWithin(node.state);
  const holds = ranksOf(node).join(", ") || (node.is_spare ? "spare" : "free");
  return (
    <>
      <span className={styles.tileName}>{node.name}</span>
      <span className={styles.tileNote}>{note ? `${holds} · ${note}` : holds}</span>
    </>
  );
}
