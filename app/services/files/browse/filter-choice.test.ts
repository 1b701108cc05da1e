import { expect, it } from "vitest";
import { searchedKinds } from "../place/contract/search-contract.server";
import { fileFilter, isFiltering } from "./file-filter";
import { extensionsOf, fileKind } from "./file-kind";
import {
  choiceOf,
  choiceOfText,
  filterOf,
  isSameChoice,
  kindChoices,
  noChoice,
  sizeChoices,
  textOfChoice,
  timeChoices,
} from "./filter-choice";

const NOW = Date.parse("2026-11-29T12:00:00.000Z");
const file = (name: string, size = 1, lastModified = "2026-11-29T11:00:00.000Z") => ({
  name,
  size,
  lastModified,
});

it("without a choice, nothing is left out", () => {
  const filter = filterOf(noChoice, NOW);
  expect(isFiltering(filter)).toBe(false);
  expect(fileFilter(filter)(file("a"))).toBe(true);
});

it("a kind is known by the end of the name, in any case, and a name that is only an end has none", () => {
  const isPdf = fileFilter(filterOf({ ...noChoice, kind: "pdf" }, NOW));
  const names = ["a.pdf", "A.PDF", "a.pdf.zip", ".pdf", "pdf", "a.pdfx"];
  expect(names.filter((name) => isPdf(file(name)))).toEqual(["a.pdf", "A.PDF"]);
});

it("the last days include their first moment, and a size that is larger than another is not equal to it", () => {
  const isNew = fileFilter(filterOf({ ...noChoice, time: "month" }, NOW));
  expect(isNew(file("a", 1, "2026-10-30T12:00:00.000Z"))).toBe(true);
  expect(isNew(file("a", 1, "2026-10-30T11:59:59.999Z"))).toBe(false);
  const isLarge = fileFilter(filterOf({ ...noChoice, size: 10_000_000 }, NOW));
  expect([10_000_000, 10_000_001].map((size) => isLarge(file("a", size)))).toEqual([false, true]);
});

it("limits of a request: dates from and before, sizes from and to", () => {
  const isWanted = fileFilter({
    modifiedAfter: "2026-01-01T00:00:00.000Z",
    modifiedBefore: "2026-02-01T00:00:00.000Z",
    minSize: 2,
    maxSize: 3,
  });
  const dates = ["2025-12-31T23:59:59.999Z", "2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"];
  expect(dates.map((date) => isWanted(file("a", 2, date)))).toEqual([false, true, false]);
  expect([1, 2, 3, 4].map((size) => isWanted(file("a", size, dates[1])))).toEqual([false, true, true, false]);
});

it("what was kept is chosen again as far as it is offered", () => {
  const chosen = { kind: "pdf", time: "week", size: 1_000_000 } as const;
  expect(choiceOf(JSON.parse(JSON.stringify(chosen)))).toEqual(chosen);
  for (const kept of [
    null,
    undefined,
    7,
    "pdf",
    { kind: "exe", time: "century", size: 2 },
    { kind: ["pdf"] },
  ])
    expect(isSameChoice(choiceOf(kept), noChoice)).toBe(true);
});

it("an address holds a choice as text, and gives the same back", () => {
  expect(textOfChoice(noChoice)).toBe("");
  expect(textOfChoice({ kind: "pdf", time: "month", size: 10_000_000 })).toBe(
    "kind=pdf&time=month&size=10000000",
  );
  for (const kind of [null, ...kindChoices])
    for (const time of [null, ...timeChoices])
      for (const size of [null, ...sizeChoices])
        expect(choiceOfText(textOfChoice({ kind, time, size }))).toEqual({ kind, time, size });
});

it("what an address holds besides a choice is left out, and the rest is chosen", () => {
  for (const text of [
    "",
    "?",
    "pdf",
    "kind",
    "kind=",
    "kind=exe&time=century&size=2",
    "kind=PDF&size=-1000000&size=Infinity",
    "kind[]=pdf&__proto__=pdf&constructor=pdf",
    "%",
    "kind=%FF%00&time=\u202e",
    `kind=${"pdf".repeat(10_000)}`,
  ])
    expect(choiceOfText(text), text).toEqual(noChoice);
  expect(choiceOfText("kind=pdf&time=century&else=1")).toEqual({ ...noChoice, kind: "pdf" });
});

it("each kind that can be searched for has names, and each that is offered can be searched for", () => {
  for (const kind of searchedKinds)
    for (const extension of extensionsOf(kind)) expect(fileKind(`a.${extension}`)).toBe(kind);
  for (const kind of kindChoices) expect(searchedKinds).toContain(kind);
});
