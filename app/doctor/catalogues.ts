import { ok, runCheck, type Verdict, warning, wrong } from "../../embed-element/doctor/report";
import { type CatalogueStatus, readStatus } from "../catalogue/catalogues.server";
import { MAX_COUNTED_KEYS, readFigures } from "../catalogue/figures.sql.server";
import type { CheckGroup, DoctorContext } from "./context";

/** A burst of changes is observed in seconds. */
const MAX_WAITING_KEYS = 10_000;

/** Whether the catalogues of buckets are used, and new enough. */
export const checkCatalogues: CheckGroup = async (context) =>
  runCheck(
    {
      name: "catalogues",
      run: () => judgeCatalogues(context),
      explain: () =>
        warning(
          "Not checked, because the database query failed.",
          "See what the checks of the database say.",
        ),
    },
    context.limits,
  );

async function judgeCatalogues({ database, env }: DoctorContext): Promise<Verdict[]> {
  const catalogues = await readStatus(database);
  if (catalogues.length === 0) return [ok("No bucket has a catalogue.")];
  const { maxLagSeconds } = env.catalogues;
  if (maxLagSeconds === undefined)
    return [
      warning(
        `Buckets with a catalogue that nobody uses: ${catalogues.length}. CATALOGUE_MAX_LAG_SECONDS is not set.`,
        `Set it, for example to 3600, and restart the service. Or remove the catalogue: npm run catalogue -- remove ${catalogues[0]?.bucket}`,
      ),
    ];
  const { waitingKeys } = await readFigures(database);
  const verdicts = catalogues.map((status) => judge(status, maxLagSeconds, env.runsWorkers));
  if (waitingKeys > MAX_WAITING_KEYS)
    verdicts.push(
      warning(
        `Changes that are not in the catalogues yet: ${waitingKeys === MAX_COUNTED_KEYS ? "more than " : ""}${waitingKeys}.`,
        `See whether the object store answers. ${adviceFor(env.runsWorkers)}`,
      ),
    );
  return verdicts;
}

const adviceFor = (runsWorkers: boolean) =>
  runsWorkers ? "See whether the app runs, and what it logs." : "WORKER is separate: run npm run worker.";

function judge(
  { bucket, state, lastScan, scan }: CatalogueStatus,
  maxLagSeconds: number,
  runsWorkers: boolean,
): Verdict {
  if (state === "being removed")
    return warning(
      `The catalogue of ${bucket} is being removed.`,
      `If that was stopped, repeat it: npm run catalogue -- remove ${bucket}`,
    );
  if (lastScan === null)
    return warning(
      `The catalogue of ${bucket} is incomplete. The first scan has found ${scan?.objects ?? 0} objects so far.`,
      `Until it has ended, the store is listed. To see how far it is: npm run catalogue -- status ${bucket}`,
    );
  const seconds = Math.round((Date.now() - Date.parse(lastScan.startedAt)) / 1_000);
  const found = `It found ${lastScan.objects} objects, and repaired ${lastScan.differences} rows.`;
  if (seconds <= maxLagSeconds)
    return ok(`The last scan of ${bucket} began ${inMinutes(seconds)} minutes ago. ${found}`);
  return wrong(
    `The last scan of ${bucket} began ${inMinutes(seconds)} minutes ago, which is longer than CATALOGUE_MAX_LAG_SECONDS. The store is listed instead. ${found}`,
    scan === null
      ? adviceFor(runsWorkers)
      : `A scan has found ${scan.objects} objects so far. If it takes longer than half of CATALOGUE_MAX_LAG_SECONDS, raise that. ${adviceFor(runsWorkers)}`,
  );
}

const inMinutes = (seconds: number) => Math.round(seconds / 60);
