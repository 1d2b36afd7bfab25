/** Numbers as people read them: three significant digits, the unit apart. */

const LOCALE = "en-GB";

/** The digits a measured value is shown with. */
const SIGNIFICANT_DIGITS = 3;

const significant = new Intl.NumberFormat(LOCALE, {
  minimumSignificantDigits: SIGNIFICANT_DIGITS,
  maximumSignificantDigits: SIGNIFICANT_DIGITS,
  useGrouping: true,
});

const whole = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });

/** A counted thing: steps, nodes, epochs. Never rounded. */
export const count = (value: number): string => whole.format(value);

/** A measured value with three significant digits: 2.31, 41.0, 1,240. */
export function measure(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 10 ** SIGNIFICANT_DIGITS) return String(value);
  if (Math.abs(value) >= 10 ** SIGNIFICANT_DIGITS) return whole.format(Math.round(value));
  return significant.format(value);
}

export interface Quantity {
  digits: string;
  unit: string;
}

/** A duration in the unit in which it has one to three digits before the point. */
export function duration(seconds: number): Quantity {
  const size = Math.abs(seconds);
  if (size < 1) return { digits: measure(seconds * 1000), unit: "ms" };
  if (size < 120) return { digits: measure(seconds), unit: "s" };
  if (size < 7200) return { digits: measure(seconds / 60), unit: "min" };
  if (size < 172_800) return { digits: measure(seconds / 3600), unit: "h" };
  return { digits: measure(seconds / 86_400), unit: "d" };
}

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** A size in decimal units, as links and disks are sold. */
export function bytes(value: number): Quantity {
  let size = value;
  for (const unit of BYTE_UNITS) {
    if (Math.abs(size) < 1000 || unit === "TB") return { digits: measure(size), unit };
    size /= 1000;
  }
  return { digits: measure(size), unit: "TB" };
}

/** A share between 0 and 1 as per cent. */
export const percent = (share: number): Quantity => ({ digits: measure(share * 100), unit: "%" });

/** Units as people write them; a ratio has none. */
const UNITS: Readonly<Record<string, string>> = { celsius: "°C", ratio: "", "1/min": "/min", "1/s": "/s" };

export const unitText = (unit: string): string => UNITS[unit] ?? unit;

/** Words of the field that are not written in small letters. */
const NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  ["ECC", "DRAM", "SRAM", "HBM", "PCIe", "GPU", "CPU", "NIC", "NVLink", "VBIOS", "BMC", "BIOS", "UUID", "XID", "CRC", "IO"].map(
    (name) => [name.toLowerCase(), name],
  ),
);

/** A word as a person writes it: `awaiting_approval` becomes `Awaiting approval`. */
export function words(code: string): string {
  const text = code
    .split(/[_.\s]+/)
    .map((word) => NAMES[word.toLowerCase()] ?? word)
    .join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The same inside a sentence: only names keep their capitals. */
export function wordsWithin(code: string): string {
  const text = words(code);
  return NAMES[text.split(" ", 1)[0]?.toLowerCase() ?? ""] ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
