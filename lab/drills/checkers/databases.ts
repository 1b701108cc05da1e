import type { History, Verdict } from "../drill";
import { failure, unless } from "./failure";

export type DatabaseOperation =
  | { what: "database created" | "database deleted" | "neighbour created"; name: string }
  /** `npm run cleanup` was killed before or after the cluster ran a statement */
  | { what: "cleanup killed"; when: "before" | "after"; statement: string }
  | { what: "cleanup ended"; code: number | null };

export interface DatabasesFound {
  /** the databases and roles that the cluster has, of all that the drill created */
  databases: string[];
  roles: string[];
  /** databases that have a recorded credential */
  credentialsOf: string[];
  /** deletions that are not recorded as done */
  unfinished: string[];
  wantedKills: number;
}

/** Deleted databases are gone with their roles, and all others are there with theirs. */
export function checkDatabases({ operations, found }: History<DatabaseOperation, DatabasesFound>): Verdict {
  const named = (what: DatabaseOperation["what"]) =>
    operations.flatMap((operation) =>
      "name" in operation && operation.what === what ? [operation.name] : [],
    );
  const [gone, kept] = [named("database deleted"), named("neighbour created")];
  const left = gone.filter((name) => found.databases.includes(name));
  const lost = kept.filter((name) => !found.databases.includes(name));
  const hasRole = (name: string) => found.roles.some((role) => role.startsWith(name));
  const kills = operations.filter(({ what }) => what === "cleanup killed").length;
  const ends = operations.flatMap((operation) =>
    operation.what === "cleanup ended" ? [operation.code] : [],
  );
  return {
    figures: `${gone.length - left.length} of ${gone.length} dropped   ${kills} kills   ${kept.length - lost.length} of ${kept.length} others untouched`,
    failures: [
      ...unless(
        kills >= found.wantedKills,
        `everything was dropped after ${kills} kills; give it more databases`,
      ),
      ...unless(ends.at(-1) === 0, `the last cleanup ended with ${ends.at(-1)}`),
      ...failure(left, "databases are left"),
      ...failure(gone.filter(hasRole), "dropped databases have a role left"),
      ...failure(lost, "databases of others were dropped"),
      ...failure(
        kept.filter((name) => !hasRole(name)),
        "databases of others have lost their role",
      ),
      ...failure(
        kept.filter((name) => !found.credentialsOf.includes(name)),
        "databases of others have lost their recorded credential",
      ),
      ...failure(
        found.credentialsOf.filter((name) => !kept.includes(name)),
        "credentials of dropped databases are recorded",
      ),
      ...failure(found.unfinished, "records do not say that their database is gone"),
    ],
  };
}
