import type { History, Verdict } from "../drill";
import { failure, unless } from "./failure";

/** What one of the two requests was told, all its responses together. */
export interface Told {
  done: number;
  /** codes */
  failed: string[];
  /** names of items in the way, with `fail` */
  conflicts: string[];
  /** names that were chosen, with `keep-both` */
  renamed: string[];
}

/** One round: two requests at once, and what was found afterwards. */
export interface Round {
  pair: string;
  told: [Told, Told];
  /** texts by keys, relative to the round's folder; without folders' own objects */
  files: Record<string, string>;
  /** types of the events, sorted */
  events: string[];
  /** versions with content */
  versions: number;
}

export interface PairsFound {
  rounds: Round[];
  /** changes without an outcome, once all requests have ended */
  pending: string[];
  /** claims that nobody has released */
  claims: number;
  seconds: number;
  maxSeconds: number;
  wantedRounds: number;
}

/** An end that a pair may have: all that is asked of the round is here. */
interface End {
  files: Record<string, string>;
  /** of the first and of the second request */
  done: [number, number];
  events: string[];
}

const both = (end: End): End[] => [end, { ...end, done: [end.done[1], end.done[0]] }];

/** What must hold for each pair: one of these ends. Names are as in `pairs.ts`. */
const ends: Record<string, End[]> = {
  "rename, rename": [
    { files: { b: "a" }, done: [1, 0], events: ["file.moved"] },
    { files: { c: "a" }, done: [0, 1], events: ["file.moved"] },
  ],
  "rename, the same rename": both({ files: { b: "a" }, done: [1, 0], events: ["file.moved"] }),
  "move, delete": [
    { files: { "to/a": "a" }, done: [1, 0], events: ["file.moved"] },
    { files: {}, done: [0, 1], events: ["file.deleted"] },
  ],
  "move, copy to the same name": [
    { files: { "to/a": "a", "x/a": "x" }, done: [1, 0], events: ["file.moved"] },
    { files: { a: "a", "to/a": "x", "x/a": "x" }, done: [0, 1], events: ["file.copied"] },
  ],
  "move, move to the same name": [
    { files: { "to/a": "a", "x/a": "x" }, done: [1, 0], events: ["file.moved"] },
    { files: { a: "a", "to/a": "x" }, done: [0, 1], events: ["file.moved"] },
  ],
  "replace, replace": [
    { files: { "to/a": "x" }, done: [1, 1], events: ["file.moved", "file.moved"] },
    { files: { "to/a": "a" }, done: [1, 1], events: ["file.moved", "file.moved"] },
  ],
  "moves into each other": [
    { files: { a: "a" }, done: [1, 1], events: ["file.moved", "file.moved"] },
    { files: { b: "b" }, done: [1, 1], events: ["file.moved", "file.moved"] },
  ],
  "delete, delete": both({ files: {}, done: [1, 0], events: ["file.deleted"] }),
  "copy, copy with keep-both": [
    {
      files: { a: "a", "a (1)": "a", "a (2)": "a" },
      done: [1, 1],
      events: ["file.copied", "file.copied"],
    },
  ],
  // Repeating an undo counts the same again.
  "undo of a copy, twice": [{ files: { a: "a" }, done: [1, 1], events: ["file.copied", "file.deleted"] }],
  "undo of a copy, rename of it": [
    { files: { a: "a" }, done: [1, 0], events: ["file.copied", "file.deleted"] },
    { files: { a: "a", "to/c": "a" }, done: [0, 1], events: ["file.copied", "file.moved"] },
  ],
  "purge, purge": both({ files: {}, done: [2, 0], events: ["file.deleted", "file.purged", "file.purged"] }),
  "undo of a deletion, purge": [
    { files: { a: "a" }, done: [1, 0], events: ["file.deleted", "file.restored"] },
    { files: {}, done: [0, 2], events: ["file.deleted", "file.purged", "file.purged"] },
  ],
  // The second finds the content that it asked for.
  "restore, restore": [{ files: { a: "older" }, done: [1, 1], events: ["file.restored"] }],
};

/** How many files the folder of a pair of folders has. */
export const FOLDER_FILES = 12;

function issuesOf(round: Round): string[] {
  const { pair, told, files, events } = round;
  if (pair in folderPairs) return folderPairs[pair]?.(round) ?? [];
  const matches = ends[pair]?.some(
    (end) =>
      same(end.files, files) &&
      same(
        end.done,
        told.map(({ done }) => done),
      ) &&
      same(end.events, events),
  );
  const issues = matches ? [] : [`ended as ${JSON.stringify({ told, files, events })}`];
  if (pair === "copy, copy with keep-both" && told[0].renamed[0] === told[1].renamed[0])
    issues.push(`both were told the name ${told[0].renamed[0]}`);
  if (pair === "restore, restore" && round.versions !== 3) issues.push(`left ${round.versions} versions`);
  return issues;
}

const folderPairs: Record<string, (round: Round) => string[]> = {
  /** One has moved the whole folder, and the other is told that it is gone. */
  "rename of a folder, rename of it": ({ told: [one, other], files, events }) => {
    const [mover, loser, folder] = one.done > 0 ? [one, other, "b/"] : [other, one, "c/"];
    const whole = Array.from({ length: FOLDER_FILES }, (_, index) => [`${folder}${index}`, `file ${index}`]);
    return [
      ...unless(same(files, Object.fromEntries(whole)), `the files are ${JSON.stringify(files)}`),
      ...unless(
        mover.done === FOLDER_FILES && loser.done === 0 && same(loser.failed, ["not_found"]),
        `the two were told ${JSON.stringify([one, other])}`,
      ),
      ...unless(events.length === FOLDER_FILES, `${events.length} events`),
    ];
  },
  /** One event a file. On a bucket with versions both may count it: a repeated request counts, and undoes, what the first one did. */
  "delete of a folder, with one cursor": ({ told: [one, other], files, events, versions }) => [
    ...unless(Object.keys(files).length === 0, "files are left"),
    ...unless(events.length === FOLDER_FILES, `${events.length} events for ${FOLDER_FILES} files`),
    ...unless(
      versions > 0 || one.done + other.done === FOLDER_FILES,
      `${one.done} and ${other.done} were counted`,
    ),
    ...unless(one.failed.length + other.failed.length === 0, "failures were told"),
  ],
};

const same = (one: unknown, other: unknown) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
const sorted = (value: unknown) =>
  Array.isArray(value)
    ? value
    : Object.entries(Object(value)).sort(([one], [other]) => (one < other ? -1 : 1));

export function checkPairs({ found }: History<unknown, PairsFound>): Verdict {
  const { rounds, pending, claims, seconds, maxSeconds, wantedRounds } = found;
  const pairs = new Set(rounds.map(({ pair }) => pair));
  const broken = [...pairs].flatMap((pair) => {
    const wrong = rounds.filter((round) => round.pair === pair).flatMap((round) => issuesOf(round));
    return failure(wrong, `of the rounds of "${pair}" are wrong: one`);
  });
  const tooFew = [...pairs].filter(
    (pair) => rounds.filter((round) => round.pair === pair).length !== wantedRounds,
  );
  return {
    figures: `${pairs.size} pairs, ${rounds.length} rounds   ${seconds.toFixed(0)} s`,
    failures: [
      ...broken,
      ...failure(tooFew, "pairs were not run as often as wanted"),
      ...unless(pairs.size > 0, "no pair was run"),
      ...failure(pending, "changes are still pending"),
      ...unless(claims === 0, `${claims} claims were not released`),
      ...unless(seconds <= maxSeconds, `it took ${seconds.toFixed(0)} s`),
    ],
  };
}
