import { expect, test } from "vitest";
import { scopeActions } from "../place/actions";
import { abilitiesFor, shortcutGroupsFor } from "./help";

const keysFor = (...actions: Parameters<typeof shortcutGroupsFor>[0]) =>
  shortcutGroupsFor(actions).flatMap(({ shortcuts }) => shortcuts.flatMap(({ keys }) => keys));

test("only shortcuts that the token allows are listed", () => {
  const looking = keysFor("download");
  expect(looking).toContain("Alt+Enter");
  const undoing = ["Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+Y"];
  for (const key of ["F2", "Ctrl+X", "Ctrl+C", "Ctrl+V", "Delete", ...undoing]) {
    expect(looking).not.toContain(key);
    expect(keysFor(...scopeActions)).toContain(key);
  }
  expect(keysFor("delete")).toEqual([...looking, "Delete", ...undoing]);
  expect(keysFor("organize")).toEqual([...looking, "F2", "Ctrl+X", "Ctrl+C", "Ctrl+V", ...undoing]);
});

test("no two shortcuts have the same keys", () => {
  const keys = keysFor(...scopeActions);
  expect(keys).toContain("Alt+R");
  expect(keys).toEqual([...new Set(keys)]);
});

test("only what the token allows is told", () => {
  expect(abilitiesFor([])).toEqual(["open", "more"]);
  expect(abilitiesFor(["download"])).toEqual(["open", "view", "download", "more"]);
  expect(abilitiesFor(scopeActions)).toEqual([
    "open",
    "view",
    "download",
    "upload",
    "organize",
    "delete",
    "history",
    "more",
  ]);
});

test("a group without allowed shortcuts is left out", () => {
  expect(shortcutGroupsFor([]).map(({ title }) => title)).toEqual([
    "shortcuts.moving",
    "shortcuts.selecting",
  ]);
});
