import { existsSync, readFileSync } from "node:fs";
import { AppError } from "../app-error";

/** A year, which is the longest that caches keep anything: what is at the address of a released version never changes. */
const FOR_EVER = "public, max-age=31536000, immutable";
const VERSIONED = /^\/platform-embed@(.+?)\.(js|css|languages\.json)$/;

/**
 * What browsers have to be told of a file in `public/`, beside what Express tells them.
 *
 * The element's files are loaded by pages of other origins, also by those that take nothing without CORS or CORP. All else is the frame's
 * own: its workers run only if their script has the embedder policy of the page. docs/decisions/0083
 * @param isFound false for a response that does not hold the file
 * @param describe reads what the build says of its versions
 */
export function headersOfFile(
  path: string,
  isFound: boolean,
  describe = describeVersions,
): Record<string, string> {
  if (!path.startsWith("/platform-embed")) return { "Cross-Origin-Embedder-Policy": "credentialless" };
  return {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
    ...(isFound && isReleased(path, describe) ? { "Cache-Control": FOR_EVER } : {}),
  };
}

/** Until a version is released, each build may put something else at its address. */
function isReleased(path: string, describe: () => Versions): boolean {
  const version = VERSIONED.exec(path)?.[1];
  return version !== undefined && describe()[version]?.released === true;
}

/** Says which versions of the element there are to those who ask for another; undefined for every other path. */
export function refusalOfVersion(path: string): AppError | undefined {
  const [, version, end] = VERSIONED.exec(path) ?? [];
  if (version === undefined || existsSync(`public${path}`)) return undefined;
  const versions = Object.keys(describeVersions());
  const newest = versions.at(-1) ?? "VERSION";
  return new AppError(
    "not_found",
    `There is no version ${version} here. There is ${versions.join(", ") || "none"}: /platform-embed@${newest}.${end}`,
  );
}

/** What the build says of those that it has put there, oldest first. */
type Versions = Record<string, { released?: boolean } | undefined>;

function describeVersions(): Versions {
  try {
    return JSON.parse(readFileSync("public/platform-embed.json", "utf8")).versions;
  } catch {
    return {};
  }
}
