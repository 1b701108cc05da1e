import { existsSync, readFileSync } from "node:fs";
import { AppError } from "../app-error";

/** A year, which is the longest that caches keep anything: what is at such an address never changes. */
const FOR_EVER = "public, max-age=31536000, immutable";
const VERSIONED = /^\/platform-embed@(.+?)\.(js|css|languages\.json)$/;

/**
 * What browsers have to be told of a file in `public/`, beside what Express tells them.
 *
 * The element's files are loaded by pages of other origins, also by those that take nothing without CORS or CORP. All else is the frame's
 * own: its workers run only if their script has the embedder policy of the page. docs/decisions/0083
 * @param isFound false for a response that does not hold the file
 */
export function headersOfFile(path: string, isFound: boolean): Record<string, string> {
  if (!path.startsWith("/platform-embed")) return { "Cross-Origin-Embedder-Policy": "credentialless" };
  return {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
    ...(isFound && VERSIONED.test(path) ? { "Cache-Control": FOR_EVER } : {}),
  };
}

/** Says which versions of the element there are to those who ask for another; undefined for every other path. */
export function refusalOfVersion(path: string): AppError | undefined {
  const [, version, end] = VERSIONED.exec(path) ?? [];
  if (version === undefined || existsSync(`public${path}`)) return undefined;
  const versions = readVersions();
  const newest = versions.at(-1) ?? "VERSION";
  return new AppError(
    "not_found",
    `There is no version ${version} here. There is ${versions.join(", ") || "none"}: /platform-embed@${newest}.${end}`,
  );
}

/** Those that the build has put there, oldest first. */
function readVersions(): string[] {
  try {
    return Object.keys(JSON.parse(readFileSync("public/platform-embed.json", "utf8")).versions);
  } catch {
    return [];
  }
}
