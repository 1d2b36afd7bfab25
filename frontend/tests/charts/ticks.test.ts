import { expect, test } from "vitest";

import { ticksText } from "@/charts/options";

test.each([
  [[3.9, 4, 4.1], ["3.9", "4.0", "4.1"]],
  [[0, 0.05, 0.1], ["0.00", "0.05", "0.10"]],
  [[7, 7.5, 8], ["7.0", "7.5", "8.0"]],
  [[0, 500, 1000], ["0", "500", "1,000"]],
  [[5], ["5"]],
])("ticks at %j have the decimals that their distance asks for", (splits, texts) => {
  expect(ticksText(splits)).toEqual(texts);
});
