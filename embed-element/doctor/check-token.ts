import type { Issued } from "./check-endpoint";
import { ok, toFindings, type Verdict, warning, wrong } from "./report";

/** What a token's payload says. Only the platform can tell whether its signature is valid. */
interface Token {
  origins: string[];
  iat: number;
  exp: number;
  scope?: { path?: string };
}

/** how far clocks may differ, and how long a response may take */
const TOLERANCE_SECONDS = 30;

/**
 * @param path the tag's, if its HTML has one
 * @param platformNow unix seconds by the platform's own clock; NaN where it is unknown
 */
export function checkToken(
  { token, expiresAt }: Issued,
  page: URL,
  path: string | undefined,
  platformNow: number,
): Verdict[] {
  const read = readToken(token);
  if (!read) {
    const remedy = "Pass the URL on unchanged: it may have been cut or encoded twice.";
    return toFindings("token.form", wrong("The token is not one of the platform's.", remedy));
  }
  return [
    ...toFindings("token.origins", checkOrigins(read, page)),
    ...toFindings("page.path", checkPath(path, read.scope?.path ?? "/")),
    ...checkExpiry(expiresAt, read),
    ...(Number.isNaN(platformNow) ? [] : [checkAge(read, platformNow)]),
  ];
}

function readToken(token: string): Token | null {
  try {
    const read = JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());
    return Array.isArray(read.origins) && typeof read.iat === "number" && typeof read.exp === "number"
      ? read
      : null;
  } catch {
    return null;
  }
}

function checkOrigins({ origins }: Token, page: URL): Verdict {
  if (origins.includes(page.origin)) return ok(`The token is for pages of ${page.origin}.`);
  const some = origins.slice(0, 5).join(", ") || "no origin at all";
  const others = origins.length > 5 ? ` and ${origins.length - 5} more` : "";
  return wrong(
    `The page's origin is ${page.origin}; the token is for ${some}${others}.`,
    `Have ${page.origin} added to the API key's allowed origins: npm run client -- origins add ID ${page.origin}`,
  );
}

function checkPath(path: string | undefined, root: string): Verdict[] {
  if (!path || path === root) return [];
  if (!/^(\/[^/]+)+$|^\/$/.test(path))
    return [
      wrong(
        `The tag's path, ${path}, is not a folder path.`,
        "Begin with a slash, as in /invoices/2026, and end without one.",
      ),
    ];
  return path.startsWith(root === "/" ? root : `${root}/`)
    ? [ok("The tag's path is inside the token's scope.")]
    : [
        wrong(
          `The tag's path, ${path}, is outside of the token's ${root}: the frame opens ${root} instead.`,
          "Change path, or the scope that your endpoint asks for.",
        ),
      ];
}

function checkExpiry(expiresAt: number, { exp }: Token): Verdict[] {
  if (expiresAt === exp) return [];
  return [
    warning(`expiresAt is ${expiresAt}, and the token ends at ${exp}.`, "Pass the platform's expiresAt on."),
  ];
}

function checkAge({ iat, exp }: Token, platformNow: number): Verdict {
  const age = platformNow - iat;
  const remedy = "Ask the platform for a new URL each time: something caches the endpoint's response.";
  if (platformNow >= exp) return wrong(`The token ended ${platformNow - exp} s ago.`, remedy);
  if (age > TOLERANCE_SECONDS)
    return warning(`The token was issued ${age} s before it was asked for.`, remedy);
  if (age < -TOLERANCE_SECONDS)
    return warning(
      `The token was issued ${-age} s in the future.`,
      "The clocks of the platform's servers differ: tell whoever operates it.",
    );
  return ok(`The token is new, and lasts ${exp - iat} s.`);
}

/** @param now this computer's clock, unix seconds */
export function checkClock(platformNow: number, now: number): Verdict[] {
  const difference = Math.round(now - platformNow);
  if (Number.isNaN(difference)) return [];
  if (Math.abs(difference) <= TOLERANCE_SECONDS)
    return [ok("This computer's clock and the platform's agree.")];
  const direction = difference > 0 ? "ahead of" : "behind";
  return [
    warning(
      `This computer's clock is ${Math.abs(difference)} s ${direction} the platform's.`,
      "The embed works all the same, but other software may not: synchronize it (NTP).",
    ),
  ];
}
