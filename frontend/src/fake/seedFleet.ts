/** Nodes of the fake: a small cluster that is looked at, and a large one that is scrolled. */
import type { Contribution, FleetNode, Grade, SignalSeries } from "@/api/types";

import { digestOf, idOf, randomMake } from "./random";
import type { World } from "./world";
import { iso } from "./world";

const LARGE_NODES = 10_000;
const NODES_PER_RACK = 8;
const LARGE_NODES_PER_RACK = 32;
const GPUS = 8;

interface Rule {
  signal: string;
  unit: string;
  base: number;
  noise: number;
  thresholds: { grade: Grade; value: number }[];
}

const RULES: readonly Rule[] = [
  {
    signal: "ecc_dram_corrected_per_min",
    unit: "/min",
    base: 0.4,
    noise: 0.5,
    thresholds: [
      { grade: "medium", value: 5 },
      { grade: "high", value: 20 },
    ],
  },
  {
    signal: "pcie_replay_per_min",
    unit: "/min",
    base: 2,
    noise: 2,
    thresholds: [
      { grade: "medium", value: 15 },
      { grade: "high", value: 31 },
    ],
  },
  {
    signal: "gpu_temperature",
    unit: "°C",
    base: 61,
    noise: 3,
    thresholds: [
      { grade: "medium", value: 80 },
      { grade: "high", value: 87 },
    ],
  },
  { signal: "power", unit: "W", base: 512, noise: 22, thresholds: [] },
];

const gradeOf = (value: number | null, rule: Rule): Grade => {
  if (value === null) return "unknown";
  return rule.thresholds.filter((line) => value >= line.value).at(-1)?.grade ?? "low";
};

/** How much worse than its base each signal of a node gets until now, from 0 on. */
type Worsening = Partial<Record<string, number>>;

function signalsMake(now: number, seed: number, worse: Worsening, gap: boolean): SignalSeries[] {
  const random = randomMake(seed);
  const samples = 720;
  return RULES.map((rule) => ({
    name: rule.signal,
    unit: rule.unit,
    source: "simulated",
    thresholds: rule.thresholds,
    points: Array.from({ length: samples }, (_, index) => {
      const part = Math.max(0, (index - samples * 0.86) / (samples * 0.14));
      const value = rule.base + (random() - 0.4) * rule.noise + (worse[rule.signal] ?? 0) * part ** 1.6;
      const missing = gap && index > samples * 0.935 && index < samples * 0.95;
      return { at: iso(now - (samples - index) * 10_000), value: missing ? null : Math.max(0, value) };
    }),
  }));
}

function contributionsOf(series: readonly SignalSeries[]): Contribution[] {
  return series.map((one, index) => {
    const rule = RULES[index] as Rule;
    const value = one.points.at(-1)?.value ?? null;
    const grade = gradeOf(value, rule);
    const next = rule.thresholds.find((line) => value === null || value < line.value) ?? rule.thresholds.at(-1);
    const text =
      rule.thresholds.length === 0
        ? "shown, does not grade"
        : grade === "low"
          ? "below every threshold"
          : `at or above the ${grade} threshold`;
    return { signal: one.name, value, unit: one.unit, grade: rule.thresholds.length ? grade : "low", threshold: next?.value ?? null, text };
  });
}

const RANKING: readonly Grade[] = ["critical", "high", "medium", "low"];
const worstOf = (rows: readonly Contribution[]): Grade =>
  RANKING.find((grade) => rows.some((row) => row.grade === grade)) ?? "unknown";

interface Wish {
  worse?: Worsening;
  gap?: boolean;
  stale?: boolean;
  spare?: boolean;
  state?: FleetNode["state"];
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

const simple = (grade: Grade, number: number, cluster: number) => ({
  id: idOf("node", cluster * 100_000 + number),
  grade,
  is_spare: false,
  reserved_for: null,
  state: "active" as const,
  stale: grade === "unknown",
  contributions: [] as Contribution[],
  devices: [] as FleetNode["devices"],
  rank_of: [] as FleetNode["rank_of"],
});

export function fleetSeed(world: World): void {
  const alder = { id: idOf("cluster", 1), name: "alder" };
  const birch = { id: idOf("cluster", 2), name: "birch" };
  world.clusters.push(alder, birch);
  for (let number = 1; number <= 16; number += 1) smallNode(world, number, alder);
  const random = randomMake(7);
  for (let number = 1; number <= LARGE_NODES; number += 1) {
    const drawn = random();
    const grade: Grade = drawn < 0.003 ? "critical" : drawn < 0.012 ? "high" : drawn < 0.05 ? "medium" : drawn < 0.06 ? "unknown" : "low";
    const rack = Math.ceil(number / LARGE_NODES_PER_RACK);
    const node: FleetNode = {
      ...simple(grade, number, 2),
      name: `b${String(number).padStart(5, "0")}`,
      cluster: birch,
      rack: { id: idOf("domain", 1000 + rack), kind: "rack", name: `row-${String(rack).padStart(3, "0")}` },
      domains: [],
      node_class: "h200-8",
      address: "",
      reported_at: grade === "unknown" ? null : iso(world.now - 4000),
      source: "simulated",
      firmware: {},
      is_spare: number % 25 === 0,
    };
    world.nodes.set(node.id, node);
  }
}

function smallNode(world: World, number: number, cluster: World["clusters"][number]): void {
  const wish = WISHES[number] ?? {};
  const signals = signalsMake(world.now, number, wish.worse ?? {}, wish.gap ?? false);
  const contributions = contributionsOf(signals);
  const rack = number <= NODES_PER_RACK ? 1 : 2;
  const node: FleetNode = {
    ...simple("low", number, 1),
    name: `n${number}`,
    cluster,
    rack: { id: idOf("domain", rack), kind: "rack", name: `rack-${rack}` },
    domains: [
      { id: idOf("domain", 10 + rack), kind: "power", name: `feed-${rack === 1 ? "a" : "b"}` },
      { id: idOf("domain", 20 + rack), kind: "switch", name: `leaf-${rack}` },
    ],
    node_class: "h100-sxm-8",
    address: `10.20.${rack}.${number}`,
    state: wish.state ?? "active",
    grade: wish.stale ? "unknown" : worstOf(contributions),
    stale: wish.stale ?? false,
    is_spare: wish.spare ?? false,
    reported_at: iso(world.now - (wish.stale ? 312_000 : 3_000)),
    source: "simulated",
    firmware: { vbios: "96.00.99.00.01", driver: "580.82.07", nic: "28.43.2026" },
    contributions,
    devices: Array.from({ length: GPUS }, (_, index) => ({
      id: idOf("device", number * 100 + index),
      kind: "gpu",
      index,
      model: "H100 SXM 80 GB",
      uuid: `GPU-${digestOf(`${number} ${index}`).slice(7, 39)}`,
      state: "active",
    })),
  };
  world.nodes.set(node.id, node);
  world.signals.set(node.id, signals);
}
