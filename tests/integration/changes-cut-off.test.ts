import { describe, expect, it } from "vitest";
import type { StoreFault } from "../../local/object-store";
import {
  type Asked,
  asks,
  before,
  cutAfter,
  filled,
  openFaultyStore,
  repeatUntilDone,
} from "../support/files/cut-off-changes";

const { faulty, open } = await openFaultyStore();
const calls = await open();
const kept = await open();
await kept.keepVersions();

const points: [string, (request: Asked) => boolean, number, StoreFault][] = [
  ["the first look at what is there", asks.look, 0, { reset: true }],
  ["the first copy", asks.copy, 0, { reset: true }],
  ["the first copy, whose response is lost", asks.copy, 0, { loseResponse: true }],
  ["a copy in the middle", asks.copy, 2, { reset: true }],
  ["a copy in the middle, whose response is lost", asks.copy, 2, { loseResponse: true }],
  ["the last copy", asks.copy, 4, { reset: true }],
  ["the first deletion", asks.delete, 0, { reset: true }],
  ["the first deletion, whose response is lost", asks.delete, 0, { loseResponse: true }],
  ["a deletion in the middle", asks.delete, 2, { reset: true }],
  ["the last deletion, whose response is lost", asks.delete, 4, { loseResponse: true }],
  ["a listing", asks.list, 1, { reset: true }],
  ["the creation of the folder that became empty", asks.put, 0, { loseResponse: true }],
];

describe("an interrupted request", () => {
  it.each(points)(
    "at %s loses nothing and finishes when it is repeated",
    async (_, isMeant, count, fault) => {
      for (const onConflict of ["fail", "keep-both", "replace"]) {
        const { at, items } = await filled(calls);
        cutAfter(faulty, isMeant, count, fault);
        const { failed } = await repeatUntilDone(faulty, calls, "move", {
          items,
          to: `/${at}/to`,
          onConflict,
        });
        faulty.intercept = null;
        expect(failed).toEqual([]);
        const moved = Object.fromEntries(Object.entries(before).map(([key, text]) => [`to/${key}`, text]));
        expect(await calls.below(at)).toEqual({ ...moved, "from/": "", stays: "stays" });
      }
    },
  );

  it.each(points.filter(([, isMeant]) => isMeant === asks.delete || isMeant === asks.list))(
    "at %s deletes everything, and everything can be restored",
    async (_, isMeant, count, fault) => {
      const { at, items } = await filled(kept);
      cutAfter(faulty, isMeant, count, fault);
      const { failed, undo } = await repeatUntilDone(faulty, kept, "delete", { items });
      faulty.intercept = null;
      expect(failed).toEqual([]);
      expect(await kept.below(at)).toEqual({ "from/": "", stays: "stays" });
      for (const handle of undo) expect((await kept.ask("restore", { undo: handle })).status).toBe(200);
      const restored = Object.fromEntries(Object.entries(before).map(([key, text]) => [`from/${key}`, text]));
      expect(await kept.below(at)).toEqual({ ...restored, "from/": "", stays: "stays" });
    },
  );
});
