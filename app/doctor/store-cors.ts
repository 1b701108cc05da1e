import type { CorsRule } from "../providers/bucket-settings.server";
import type { ObjectStore } from "../providers/object-store.server";
import type { StoreProbe } from "../providers/object-store-checks.server";
import { explainStoreFailure } from "../providers/store-failure.server";
import { corsRulesForBucket } from "../services/files/storage-cors.server";
import type { DoctorContext } from "./context";
import { ok, type Verdict, warning, wrong } from "./finding";

/** Where the rules cannot be read, so many origins are tried as a browser tries them. */
const MAX_PREFLIGHTS = 20;

interface CorsCheck {
  context: DoctorContext;
  probe: StoreProbe;
  store: ObjectStore;
  bucket: string;
  signal: AbortSignal;
}

/** What `storage:cors` would write against what is there. A store that does not show its rules is asked as a browser asks. */
export async function compareCors({ context, probe, store, bucket, signal }: CorsCheck): Promise<Verdict> {
  const { database, env } = context;
  const wanted = await corsRulesForBucket(database, bucket, env.platformBaseUrl);
  const origins = wanted.flatMap(({ allowedOrigins }) => allowedOrigins);
  let rules: CorsRule[];
  try {
    rules = await probe.corsRules(bucket, signal);
  } catch (error) {
    const failure = explainStoreFailure(error, { bucket, permission: "s3:GetBucketCORS" });
    if (failure.kind !== "access_denied" && failure.kind !== "not_offered") {
      return wrong(`${bucket}: ${failure.message}`, failure.remedy);
    }
    const refused = await originsRefusedInPreflight(store, bucket, origins, signal);
    if (refused.length === 0) return ok(`${bucket}: lets browsers in (asked by preflight requests).`);
    return warning(
      `${bucket}: the CORS rules cannot be read, and a preflight request is refused for ${refused.join(", ")}.`,
      `npm run storage:cors -- --bucket ${bucket} writes them; where the store has no CORS API, enter what --dry-run prints in its own settings.`,
    );
  }
  const remedy = `npm run storage:cors -- --bucket ${bucket}`;
  if (rules.length === 0) return wrong(`${bucket}: has no CORS rules, so browsers cannot reach it.`, remedy);
  const missing = wanted.flatMap((rule) =>
    rule.allowedOrigins.filter((origin) => !rules.some((found) => covers(found, rule, origin))),
  );
  if (missing.length > 0) {
    return wrong(`${bucket}: the CORS rules do not let ${missing.join(", ")} read and write.`, remedy);
  }
  const extra = rules
    .flatMap(({ allowedOrigins }) => allowedOrigins)
    .filter((origin) => !origins.includes(origin));
  if (extra.length > 0) {
    const message = `${bucket}: the CORS rules let more in than the live embed clients need: ${[...new Set(extra)].join(", ")}.`;
    return warning(message, `If nothing else needs them: ${remedy}`);
  }
  return ok(`${bucket}: the CORS rules let in the platform and its clients' origins, and nobody else.`);
}

/** Whether `found` allows `origin` all that `wanted` allows. */
function covers(found: CorsRule, wanted: CorsRule, origin: string): boolean {
  const has = (list: readonly string[], value: string) =>
    list.some((entry) => entry === "*" || entry.toLowerCase() === value.toLowerCase());
  const allowsOrigin = found.allowedOrigins.some((pattern) => {
    const [start = "", end] = pattern.split("*");
    return end === undefined ? pattern === origin : origin.startsWith(start) && origin.endsWith(end);
  });
  return (
    allowsOrigin &&
    wanted.allowedMethods.every((method) => found.allowedMethods.includes(method)) &&
    wanted.allowedHeaders.every((header) => has(found.allowedHeaders, header)) &&
    wanted.exposeHeaders.every((header) => has(found.exposeHeaders, header))
  );
}

async function originsRefusedInPreflight(
  store: ObjectStore,
  bucket: string,
  origins: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const key = ".platform-embed-doctor/preflight";
  const url = await store.presignGet({
    bucket,
    key,
    contentDisposition: "inline",
    contentType: "application/octet-stream",
    expiresInSeconds: 60,
  });
  const isRefused = async (origin: string): Promise<boolean> => {
    const response = await fetch(url, {
      method: "OPTIONS",
      headers: { Origin: origin, "Access-Control-Request-Method": "PUT" },
      signal,
    });
    await response.body?.cancel();
    const allowed = response.headers.get("Access-Control-Allow-Origin");
    return !response.ok || (allowed !== origin && allowed !== "*");
  };
  const asked = origins.slice(0, MAX_PREFLIGHTS);
  const refused = await Promise.all(asked.map(isRefused));
  return asked.filter((_, index) => refused[index]);
}
