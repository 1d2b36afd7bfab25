/** Racks as they stand: one tile per node, its grade as colour and as shape. */
import { memo } from "react";
import { Link } from "react-router";

import type { Grade, NodeTile, Rack } from "@/api/types";
import { paths } from "@/app/paths";
import { words } from "@/format/numbers";
import { GRADES, GRADE_WORDS, GradeBar, GradeShape } from "@/ui/Grade";

import styles from "./fleet.module.css";

/** From so many nodes on, a tile is only its shape; its words are in its title. */
const NODES_TILED_LARGE_MAX = 200;

const countsOf = (nodes: readonly NodeTile[]): Partial<Record<Grade, number>> => {
  const counts: Partial<Record<Grade, number>> = {};
  for (const { grade } of nodes) counts[grade] = (counts[grade] ?? 0) + 1;
  return counts;
};

export function Legend({ racks }: { racks: readonly Rack[] }) {
  return (
    <div className={styles.legend}>
      <GradeBar counts={countsOf(racks.flatMap((rack) => rack.nodes))} />
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
    </div>
  );
}

export function Racks({ racks }: { racks: readonly Rack[] }) {
  const total = racks.reduce((sum, rack) => sum + rack.nodes.length, 0);
  const small = total > NODES_TILED_LARGE_MAX;
  return (
    <div className={small ? styles.racksSmall : styles.racks}>
      {racks.map((rack) => (
        <RackBox key={rack.id ?? rack.name} rack={rack} small={small} />
      ))}
    </div>
  );
}

const worst = (nodes: readonly NodeTile[]): Grade =>
  GRADES.find((grade) => grade !== "unknown" && nodes.some((node) => node.grade === grade)) ?? "unknown";

const RackBox = memo(({ rack, small }: { rack: Rack; small: boolean }) => (
  <section className={styles.rack} aria-label={`Rack ${rack.name}`}>
    <header>
      <h2>{rack.name}</h2>
      <span className="dim small">
        {rack.nodes.length} nodes, worst {GRADE_WORDS[worst(rack.nodes)].toLowerCase()}
      </span>
    </header>
    <ul className={small ? styles.tilesSmall : styles.tiles}>
      {rack.nodes.map((node) => (
        <li key={node.id}>
          <Tile node={node} small={small} />
        </li>
      ))}
    </ul>
  </section>
));
RackBox.displayName = "RackBox";

const ranksOf = (node: NodeTile): string[] => node.rank_of.map(({ job, rank }) => `${job.name} rank ${rank}`);

function describe(node: NodeTile): string {
  const words_ = [node.name, `grade ${node.grade}`];
  if (node.stale) words_.push("stale");
  if (node.is_spare) words_.push("spare");
  if (node.state !== "active") words_.push(node.state);
  return [...words_, ...ranksOf(node)].join(", ");
}

function classOf(node: NodeTile, small: boolean): string {
  const names = [small ? styles.tileSmall : styles.tile, styles[node.grade]];
  if (node.is_spare) names.push(styles.spare);
  if (node.stale || node.grade === "unknown") names.push(styles.stale);
  if (node.state !== "active") names.push(styles.out);
  return names.join(" ");
}

function Tile({ node, small }: { node: NodeTile; small: boolean }) {
  const label = describe(node);
  return (
    <Link to={paths.node(node.id)} className={classOf(node, small)} title={label} aria-label={label}>
      <GradeShape grade={node.grade} size={small ? 12 : 14} />
      {small ? null : <TileWords node={node} />}
    </Link>
  );
}

function TileWords({ node }: { node: NodeTile }) {
  const note = node.stale ? "stale" : node.state === "active" ? "" : words(node.state).toLowerCase();
  const holds = ranksOf(node).join(", ") || (node.is_spare ? "spare" : "free");
  return (
    <>
      <span className={styles.tileName}>{node.name}</span>
      <span className={styles.tileNote}>{note ? `${holds} · ${note}` : holds}</span>
    </>
  );
}
