/** Nodes of the fake: a small cluster that is looked at, and a large one that is scrolled. */
import type { Cluster, Contribution, Grade, NodeDetail, RuleBook, SignalLine } from "@/api/types";

import { digestOf, idOf, randomMake } from "./random";
import type { World } from "./world";
import { iso } from "./world";

const LARGE_NODES = 10_000;
const NODES_PER_RACK = 8;
const LARGE_NODES_PER_RACK = 32;
const GPUS = 8;

type Rule = RuleBook["signals"][number];

interface Course {
  rule: Rule;
  /** What a healthy node has, and how much it scatters. */
  base: number;
  noise: number;
}

const ruleMake = (name: string, unit: string, medium: number | null, high: number | null, critical: number | null): Rule => ({
  name,
  unit,
  medium,
  high,
  critical,
  direction: "rising",
  kind: "gauge",
  origin: "published thresholds",
  required: false,
});

const COURSES: readonly Course[] = [
  { rule: ruleMake("ecc_dram_corrected_per_min", "1/min", 5, 20, 60), base: 0.4, noise: 0.5 },
  { rule: ruleMake("pcie_replay_per_min", "1/min", 15, 31, null), base: 2, noise: 2 },
  { rule: ruleMake("gpu_temperature", "°C", 80, 87, null), base: 61, noise: 3 },
  { rule: ruleMake("power", "W", null, null, null), base: 512, noise: 22 },
];

export const RULES: RuleBook = { version: 1, signals: COURSES.map(({ rule }) => rule) };

function gradeOf(value: number | null, rule: Rule): Grade | null {
  if (rule.medium === null) return null;
  if (value === null) return "unknown";
  const reached = (["critical", "high", "medium"] as const).find((grade) => value >= (rule[grade] ?? Infinity));
  return reached ?? "low";
}

/** How much worse than its base each signal of a node gets until now. */
type Worsening = Partial<Record<string, number>>;

const SAMPLES = 720;
const SAMPLE_EVERY_MS = 10_000;

function linesMake(now: number, seed: number, worse: Worsening, gap: boolean): SignalLine[] {
  const random = randomMake(seed);
  return COURSES.map(({ rule, base, noise }) => ({
    name: rule.name,
    unit: rule.unit,
    source: "simulated",
    thresholds: rule.medium === null ? null : rule,
    points: Array.from({ length: SAMPLES }, (_, index) => {
      const part = Math.max(0, (index - SAMPLES * 0.86) / (SAMPLES * 0.14));
      const value = base + (random() - 0.4) * noise + (worse[rule.name] ?? 0) * part ** 1.6;
      const missing = gap && index > SAMPLES * 0.935 && index < SAMPLES * 0.95;
      return { at: iso(now - (SAMPLES - index) * SAMPLE_EVERY_MS), value: missing ? null : Math.max(0, value) };
    }),
  }));
}

const REASONS: Readonly<Record<Grade, string>> = {
  low: "below every threshold",
  medium: "at or above the medium threshold",
  high: "at or above the high threshold",
  critical: "at or above the critical threshold",
  unknown: "not in the report",
};

const contributionsOf = (lines: readonly SignalLine[]): Contribution[] =>
  lines.map((line, index) => {
    const rule = COURSES[index]?.rule as Rule;
    const figure = line.points.at(-1)?.value ?? null;
    const grade = gradeOf(figure, rule);
    return {
      name: line.name,
      figure,
      unit: line.unit,
      grade,
      source: "simulated",
      required: false,
      reason: grade === null ? "shown, does not grade" : REASONS[grade],
    };
  });

const RANKING: readonly Grade[] = ["critical", "high", "medium", "low"];
const worstOf = (rows: readonly Contribution[]): Grade =>
  RANKING.find((grade) => rows.some((row) => row.grade === grade)) ?? "unknown";

interface Wish {
  worse?: Worsening;
  gap?: boolean;
  stale?: boolean;
  spare?: boolean;
  state?: NodeDetail["state"];
}

const WISHES: Readonly<Record<number, Wish>> = {
  3: { worse: { ecc_dram_corrected_per_min: 27, gpu_temperature: 21 }, gap: true },
  5: { spare: true },
  7: { worse: { pcie_replay_per_min: 19 } },
  9: { stale: true },
  12: { spare: true },
  14: { state: "quarantined", worse: { ecc_dram_corrected_per_min: 90, pcie_replay_per_min: 44 } },
  15: { state: "maintenance" },
};

const NODE_CLASS = {
  id: idOf("domain", 900),
  name: "h100-sxm-8",
  vendor: "fake",
  accelerators: GPUS,
  memory_gib: 2048,
  tdp_w: 10_200,
};

/** A node of which only name and grade are known. */
function nodeMake(world: World, number: number, cluster: Cluster, grade: Grade): NodeDetail {
  return {
    id: idOf("node", number),
    tenant: idOf("tenant", 1),
    name: `n${number}`,
    cluster: { id: cluster.id, name: cluster.name },
    grade,
    state: "active",
    state_reason: "",
    state_at: iso(world.now - 3_600_000),
    stale: false,
    is_spare: false,
    reserved_for: null,
    source: "simulated",
    reported_at: iso(world.now - 3_000),
    rank_of: [],
    node_class: NODE_CLASS,
    rack: null,
    address: "",
    domains: [],
    devices: [],
    firmware: {},
    verdict: { grade, rule_version: RULES.version, reason: "", contributions: [] },
    allowed: [],
  };
}

export function fleetSeed(world: World, large: boolean): void {
  const alder = { id: idOf("cluster", 1), name: "alder", nodes_count: 2 * NODES_PER_RACK };
  const birch = { id: idOf("cluster", 2), name: "birch", nodes_count: LARGE_NODES };
  world.clusters.push(alder);
  for (let number = 1; number <= alder.nodes_count; number += 1) smallNode(world, number, alder);
  if (!large) return;
  world.clusters.push(birch);
  const random = randomMake(7);
  for (let number = 1; number <= LARGE_NODES; number += 1) largeNode(world, number, birch, random());
}

function gradeDrawn(drawn: number): Grade {
  if (drawn < 0.003) return "critical";
  if (drawn < 0.012) return "high";
  if (drawn < 0.05) return "medium";
  return drawn < 0.06 ? "unknown" : "low";
}

function largeNode(world: World, number: number, cluster: Cluster, drawn: number): void {
  const rack = Math.ceil(number / LARGE_NODES_PER_RACK);
  const grade = gradeDrawn(drawn);
  const node = nodeMake(world, 200_000 + number, cluster, grade);
  node.name = `b${String(number).padStart(5, "0")}`;
  node.rack = { id: idOf("domain", 1000 + rack), name: `row-${String(rack).padStart(3, "0")}` };
  node.is_spare = number % 25 === 0;
  node.stale = grade === "unknown";
  world.nodes.set(node.id, node);
}

function allowedFor(state: NodeDetail["state"]): NodeDetail["allowed"] {
  const states = ["active", "draining", "quarantined", "maintenance"] as const;
  return states
    .filter((other) => other !== state)
    .map((other) => ({ action: other, state: other, enabled: true, reason: null }));
}

function smallNode(world: World, number: number, cluster: Cluster): void {
  const wish = WISHES[number] ?? {};
  const lines = linesMake(world.now, number, wish.worse ?? {}, wish.gap ?? false);
  const contributions = contributionsOf(lines);
  const grade = wish.stale ? "unknown" : worstOf(contributions);
  const rack = number <= NODES_PER_RACK ? 1 : 2;
  const state = wish.state ?? "active";
  const node: NodeDetail = {
    ...nodeMake(world, 100_000 + number, cluster, grade),
    name: `n${number}`,
    rack: { id: idOf("domain", rack), name: `rack-${rack}` },
    domains: [
      { id: idOf("domain", rack), kind: "rack", name: `rack-${rack}`, parent: null },
      { id: idOf("domain", 10 + rack), kind: "power", name: `feed-${rack === 1 ? "a" : "b"}`, parent: null },
      { id: idOf("domain", 20 + rack), kind: "switch", name: `leaf-${rack}`, parent: null },
    ],
    address: `10.20.${rack}.${number}`,
    state,
    stale: wish.stale ?? false,
    is_spare: wish.spare ?? false,
    reported_at: iso(world.now - (wish.stale ? 312_000 : 3_000)),
    firmware: { vbios: "96.00.99.00.01", driver: "580.82.07", nic: "28.43.2026" },
    verdict: { grade, rule_version: RULES.version, reason: wish.stale ? "the report is too old" : "the worst of its signals", contributions },
    devices: Array.from({ length: GPUS }, (_, index) => ({
      kind: "gpu",
      index,
      model: "H100 SXM",
      memory_nbytes: 80 * 2 ** 30,
      uuid: `GPU-${digestOf(`${number} ${index}`).slice(7, 39)}`,
      state: "present" as const,
      state_at: iso(world.now - 3_600_000),
    })),
    allowed: allowedFor(state),
  };
  world.nodes.set(node.id, node);
  world.signals.set(node.id, lines);
  const actor = { kind: "system", id: "grades", name: "published rule" };
  world.nodeEvents.set(
    node.id,
    grade === "low"
      ? []
      : [{ id: number, at: iso(world.now - 840_000), kind: "grade", before: "low", after: grade, actor, reason: node.verdict.reason }],
  );
}
