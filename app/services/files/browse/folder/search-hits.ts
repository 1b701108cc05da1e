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
  meanwhile: readonly HitChange[];
}

export const nothingFound: SearchHits = { rows: [], state: "none", meanwhile: [] };

export function withPage(hits: SearchHits, page: FoundPage): SearchHits {
  const { state, replaces, begins = false } = page;
  const meanwhile = begins ? [] : hits.meanwhile;
  const rows = replaces ? page.rows : withRows(hits.rows, page.rows);
  return { rows: meanwhile.reduce(changed, rows), state, meanwhile: state === "running" ? meanwhile : [] };
}

/** The hits after others have changed something. */
export function withChange(hits: SearchHits, change: HitChange): SearchHits {
  if (hits.state === "none") return hits;
  const meanwhile = hits.state === "running" ? [...hits.meanwhile, change] : [];
  return { ...hits, rows: changed(hits.rows, change), meanwhile };
}

const changed = (rows: readonly Row[], { added, gone }: HitChange): readonly Row[] =>
  withRows(
    rows.filter((row) => !gone.has(rowId(row))),
    added,
  );
