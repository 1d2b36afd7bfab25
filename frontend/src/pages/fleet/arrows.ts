/** Which tile an arrow key leads to: along the order, or straight up and down as they stand. */

/** Tiles whose edges are this close stand in one row. */
const ROW_SLACK_PX = 4;

const along = (key: string, index: number, last: number): number | null =>
  ({ ArrowRight: Math.min(index + 1, last), ArrowLeft: Math.max(index - 1, 0), Home: 0, End: last })[key] ?? null;

function across<Tile extends HTMLElement>(tiles: readonly Tile[], from: Tile, down: boolean): Tile | null {
  const here = from.getBoundingClientRect();
  const beyond = tiles
    .map((tile) => ({ tile, box: tile.getBoundingClientRect() }))
    .filter(({ box }) => (down ? box.top > here.top + ROW_SLACK_PX : box.top < here.top - ROW_SLACK_PX))
    .toSorted(
      (one, other) =>
        Math.abs(one.box.top - here.top) - Math.abs(other.box.top - here.top) ||
        Math.abs(one.box.left - here.left) - Math.abs(other.box.left - here.left),
    );
  return beyond[0]?.tile ?? null;
}

/** Returns the tile to focus; null where the key leads nowhere. */
export function tileNext<Tile extends HTMLElement>(tiles: readonly Tile[], key: string): Tile | null {
  const from = tiles.find((tile) => tile === document.activeElement);
  if (!from) return null;
  if (key === "ArrowDown" || key === "ArrowUp") return across(tiles, from, key === "ArrowDown");
  const index = along(key, tiles.indexOf(from), tiles.length - 1);
  return index === null ? null : (tiles[index] ?? null);
}
