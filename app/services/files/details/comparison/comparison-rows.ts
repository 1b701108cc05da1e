import type { Comparison, Line } from "./compare-texts";

/** Unchanged lines that are shown before and after a change. */
export const CONTEXT_LINES = 3;
/** Fewer unchanged lines are always shown: a button in their place would take as much room. */
const MIN_FOLDED_LINES = 4;

/** A row of the table, in the order of the texts. */
export type ComparisonRow =
  /** unchanged lines that are not shown; `block` is an index into the comparison's blocks */
  | { kind: "fold"; block: number; count: number }
  | { kind: "same"; before: number; after: number; text: string }
  /** `change` counts the changes from 0 */
  | { kind: "changed"; change: number; isFirst: boolean; before: Line | null; after: Line | null };

/**
 * The rows of a comparison.
 * @param unfolded the blocks whose unchanged lines are all shown
 * @param layout `split` has old and new lines beside each other; in `unified`, a row has one of the two, old ones first
 */
export function rowsOf(
  { blocks }: Comparison,
  unfolded: ReadonlySet<number>,
  layout: "split" | "unified",
): ComparisonRow[] {
  const rows: ComparisonRow[] = [];
  let change = -1;
  for (const [block, content] of blocks.entries()) {
    if (content.kind === "same") {
      const { lines, before, after } = content;
      const show = (from: number, to: number) => {
        for (let at = from; at < to; at++)
          rows.push({ kind: "same", before: before + at, after: after + at, text: lines[at] ?? "" });
      };
      // Nothing before the first change needs context, nor anything after the last.
      const from = block === 0 ? 0 : CONTEXT_LINES;
      const to = lines.length - (block === blocks.length - 1 ? 0 : CONTEXT_LINES);
      const isFolded = to - from >= MIN_FOLDED_LINES && !unfolded.has(block);
      show(0, isFolded ? from : lines.length);
      if (!isFolded) continue;
      rows.push({ kind: "fold", block, count: to - from });
      show(to, lines.length);
      continue;
    }
    change++;
    const { pairs } = content;
    const sides =
      layout === "split"
        ? pairs
        : [
            ...pairs.flatMap(({ before }) => (before ? [{ before, after: null }] : [])),
            ...pairs.flatMap(({ after }) => (after ? [{ before: null, after }] : [])),
          ];
    for (const [index, side] of sides.entries())
      rows.push({ kind: "changed", change, isFirst: index === 0, ...side });
  }
  return rows;
}
