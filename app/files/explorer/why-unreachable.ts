import { StorageProblem } from "./storage-client";

/**
 * A browser tells a page only that a request to another origin failed. When the store answers a request that
 * needs no permission, what is missing is the permission: the bucket's CORS rules.
 */
export async function whyUnreachable(url: string): Promise<StorageProblem> {
  if (!navigator.onLine) return new StorageProblem("offline");
  try {
    await fetch(new URL("/", url), {
      mode: "no-cors",
      cache: "no-store",
      signal: AbortSignal.timeout(10_000),
    });
    return new StorageProblem("cors_blocked");
  } catch {
    return new StorageProblem(navigator.onLine ? "unreachable" : "offline");
  }
}
