/** What webhooks are told of; all of them together also stand for kinds that are still to come. */
export const KINDS: readonly (readonly [kind: string, what: string])[] = [
  ["swap.changed", "a swap is in another state"],
  ["job.changed", "a job is in another state"],
  ["brake.changed", "the brake is pulled or released"],
  ["limits.changed", "other limits are in force"],
  ["hold.changed", "a held rank is released"],
];
