import { type Row, rowId } from "platform-embed-element/client";
import { expect, test } from "vitest";
import { fileRow, folderRow } from "../../../../../tests/support/files/rows";
import { nothingFound, type SearchHits, withChange, withPage } from "./search-hits";

const a = fileRow("docs/a.txt");
const b = fileRow("docs/deep/b.txt");
const c = fileRow("docs/deep/er/c.txt");
const idsOf = ({ rows }: SearchHits) => rows.map(rowId);
const begun = withPage(nothingFound, { rows: [], state: "running", replaces: false, begins: true });
const page = (rows: Row[], state: "running" | "done", replaces = false) => ({ rows, state, replaces });
const change = (added: Row[], ...gone: Row[]) => ({ added, gone: new Set(gone.map(rowId)) });

test("what others change is in the results, and a row that is there already stays where it is", () => {
  const done = withPage(begun, page([folderRow("/docs/deep"), a, b], "done", true));
  const larger = { ...a, size: 77 } as Row;
  const after = withChange(done, change([larger, c], b));
  expect(idsOf(after)).toEqual(["/docs/deep", "docs/a.txt", "docs/deep/er/c.txt"]);
  expect(after.rows[1]).toBe(larger);
  expect(after.meanwhile).toBe(nothingFound.meanwhile);
  expect(withChange(after, change([], b))).toBe(after);
});

test("while the search runs, a later page takes back nothing of it", () => {
  const first = withPage(begun, page([a], "running", true));
  const after = withChange(first, change([c], b));
  const second = withPage(after, page([b], "running"));
  expect(idsOf(second)).toEqual(["docs/a.txt", "docs/deep/er/c.txt"]);
  const last = withPage(second, page([b], "done"));
  expect(idsOf(last)).toEqual(["docs/a.txt", "docs/deep/er/c.txt"]);
  expect(last.meanwhile).toBe(nothingFound.meanwhile);
});

test("of what others change twice while the search runs, the last counts", () => {
  const deleted = withChange(withChange(begun, change([b, c])), change([], b, c));
  const again = withChange(deleted, change([c]));
  expect(idsOf(withPage(again, page([a, b], "done", true)))).toEqual(["docs/a.txt", "docs/deep/er/c.txt"]);
});

test("the first page replaces earlier results, and not what others have changed since the search began", () => {
  const old = withPage(begun, page([a], "done", true));
  const again = withChange(withPage(old, { ...page([], "running"), begins: true }), change([c]));
  expect(idsOf(again)).toEqual(["docs/a.txt", "docs/deep/er/c.txt"]);
  expect(idsOf(withPage(again, page([b], "done", true)))).toEqual(["docs/deep/b.txt", "docs/deep/er/c.txt"]);
});

test("another search forgets what was changed before it began", () => {
  const before = withChange(begun, change([], b));
  const next = withPage(before, { ...page([], "running"), begins: true });
  expect(idsOf(withPage(next, page([b], "done", true)))).toEqual(["docs/deep/b.txt"]);
});

test("without a search there are no results", () => {
  expect(withChange(nothingFound, change([a]))).toBe(nothingFound);
});
