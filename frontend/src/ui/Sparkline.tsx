/** A line the size of a word: no axes, only the course of things. A gap is a gap. */

const WIDTH = 96;
const HEIGHT = 22;
const INSET = 2;

interface SparklineProps {
  values: readonly (number | null)[];
  label: string;
}

function path(values: readonly (number | null)[]): string {
  const known = values.filter((value): value is number => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const span = high - low || 1;
  const x = (index: number) => (index / Math.max(1, values.length - 1)) * (WIDTH - 2 * INSET) + INSET;
  const y = (value: number) => HEIGHT - INSET - ((value - low) / span) * (HEIGHT - 2 * INSET);
  let pen = "M";
  let drawn = "";
  values.forEach((value, index) => {
    if (value === null) {
      pen = "M";
      return;
    }
    drawn += `${pen}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = "L";
  });
  return drawn;
}

export function Sparkline({ values, label }: SparklineProps) {
  const known = values.filter((value) => value !== null).length;
  if (known < 2) {
    return <span className="dim small">too few points</span>;
  }
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <path d={path(values)} fill="none" stroke="var(--ink-2)" strokeWidth="1.4" strokeLinejoin="round" />
    </svg>
  );
}
