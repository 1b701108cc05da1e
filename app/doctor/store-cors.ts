import type { CORSRule } from "@aws-sdk/client-s3";
import { ok, type Verdict, warning, wrong } from "../../embed-element/doctor/report";
import type { ObjectStore } from "../providers/object-store.server";
import { explainStoreFailure } from "../providers/store-failure.server";
import { corsRuleForBucket, isOurCorsRule } from "../services/files/bucket-settings.server";
import type { BucketToCheck } from "./context";
import { PREFIX } from "./store-round-trip";

/** origins that are named in a finding */
const MAX_NAMED = 3;
/** origins that are tried by preflight request if the rules cannot be read */
const MAX_PREFLIGHTS = 20;

/**
 * Compares the rules with those that `npm run storage -- cors` would write. If they cannot be read, it sends preflight requests
 * as a browser does.
 */
export async function compareCors(
  { context: { database, env }, probe, store, bucket }: BucketToCheck,
  signal: AbortSignal,
): Promise<Verdict> {
  const wanted = await corsRuleForBucket(database, bucket, env.platformBaseUrl);
  const origins = wanted.AllowedOrigins;
  let rules: CORSRule[];
  try {
    rules = await probe.corsRules(bucket, signal);
  } catch (error) {
    const failure = explainStoreFailure(error, { bucket, permission: "s3:GetBucketCORS" });
    if (failure.kind !== "access_denied" && failure.kind !== "not_offered") {
      return wrong(`${bucket}: ${failure.message}`, failure.remedy);
    }
    const refused = await originsRefusedInPreflight(store, bucket, origins, signal);
    if (refused.length === 0) return ok(`${bucket}: allows browsers (asked by preflight requests).`);
    return warning(
      `${bucket}: the CORS rules cannot be read, and a preflight request is refused for ${nameSome(refused)}.`,
      `npm run storage -- cors --bucket ${bucket} writes them; where the store has no CORS API, enter what ` +
        "--dry-run prints in its own settings.",
    );
  }
  const remedy = `npm run storage -- cors --bucket ${bucket}`;
  if (rules.length === 0) return wrong(`${bucket}: has no CORS rules, so browsers cannot reach it.`, remedy);
  const missing = origins.filter((origin) => !rules.some((found) => covers(found, wanted, origin)));
  if (missing.length > 0) {
    return wrong(`${bucket}: the CORS rules do not allow ${nameSome(missing)} to read and write.`, remedy);
  }
  const extra = rules.flatMap((rule) =>
    (rule.AllowedOrigins ?? [])
      .filter((origin) => !origins.includes(origin))
      .map((origin) => ({ origin, isOurs: isOurCorsRule(rule, wanted) })),
  );
  if (extra.length > 0) {
    const more = nameSome([...new Set(extra.map(({ origin }) => origin))]);
    return warning(
      `${bucket}: the CORS rules allow origins that no live embed client needs: ${more}.`,
      extra.every(({ isOurs }) => isOurs)
        ? remedy
        : "If nothing else needs them, remove those rules in the store's own settings: npm run storage -- cors keeps what it did not write.",
    );
  }
  return ok(`${bucket}: the CORS rules allow the platform and its clients' origins, and no others.`);
}

/** `a, b, c and 297 more` */
export function nameSome(origins: readonly string[]): string {
  const more = origins.length - MAX_NAMED;
  return more > 0 ? `${origins.slice(0, MAX_NAMED).join(", ")} and ${more} more` : origins.join(", ");
}

/** Whether `found` allows `origin` everything that `wanted` does. */
function covers(found: CORSRule, wanted: CORSRule, origin: string): boolean {
  const has = (list: readonly string[] = [], value: string) =>
    list.some((entry) => entry === "*" || entry.toLowerCase() === value.toLowerCase());
  const allowsOrigin = found.AllowedOrigins?.some((pattern) => {
    const [start = "", end] = pattern.split("*");
    return end === undefined ? pattern === origin : origin.startsWith(start) && origin.endsWith(end);
  });
  const allows = (list: "AllowedMethods" | "AllowedHeaders" | "ExposeHeaders") =>
    wanted[list]?.every((value) => has(found[list], value)) !== false;
  return (
    allowsOrigin === true && allows("AllowedMethods") && allows("AllowedHeaders") && allows("ExposeHeaders")
  );
}

async function originsRefusedInPreflight(
  store: ObjectStore,
  bucket: string,
  origins: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const key = `${PREFIX}preflight`;
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
