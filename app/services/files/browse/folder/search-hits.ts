import { type Row, rowId, withRows } from "platform-embed-element/client";

/** `none`: only the open folder is filtered. `cut`: the search ended early. */
export type SearchStatus = "none" | "running" | "cut" | "done";

/** What one request of a search has found. */
export interface FoundPage {
  rows: readonly Row[];
  state: SearchStatus;
  /** replaces earlier results */
  replaces: boolean;
  /** the search begins, and has not looked at anything yet */
  begins?: boolean;
}

/** What others have done to what a search finds. */
interface HitChange {
  added: readonly Row[];
  /** ids of rows */
  gone: ReadonlySet<string>;
}

/** What a search below the open folder has found. */
export interface SearchHits {
  rows: readonly Row[];
  state: SearchStatus;
  /** while it runs: what others have done since it began. It may have looked there before. */
  meanwhile: HitChange;
}

const noChange: HitChange = { added: [], gone: new Set() };

export const nothingFound: SearchHits = { rows: [], state: "none", meanwhile: noChange };

export function withPage(hits: SearchHits, page: FoundPage): SearchHits {
  const { state, replaces, begins = false } = page;
  const meanwhile = begins ? noChange : hits.meanwhile;
  const rows = replaces ? page.rows : withRows(hits.rows, page.rows);
  return { rows: changed(rows, meanwhile), state, meanwhile: state === "running" ? meanwhile : noChange };
}

/** The hits after others have changed something. Their rows stay the same array if it is about none of them. */
export function withChange(hits: SearchHits, change: HitChange): SearchHits {
  if (hits.state === "none") return hits;
  const rows = changed(hits.rows, change);
  if (hits.state !== "running") return rows === hits.rows ? hits : { ...hits, rows };
  const { added, gone } = hits.meanwhile;
  const meanwhile = { added: changed(added, change), gone: new Set([...gone, ...change.gone]) };
  return { ...hits, rows, meanwhile };
}

function changed(rows: readonly Row[], { added, gone }: HitChange): readonly Row[] {
  const isGone = (row: Row) => gone.has(rowId(row));
  const kept = rows.some(isGone) ? rows.filter((row) => !isGone(row)) : rows;
  return added.length > 0 ? withRows(kept, added) : kept;
}
