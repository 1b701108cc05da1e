import type { Issued } from "./check-endpoint";
import { type Finding, ok, warning, wrong } from "./finding";

/** What a token says of itself. That it is signed only the platform can tell. */
interface Token {
  origins: string[];
  svc: string;
  iat: number;
  exp: number;
}

/** seconds that clocks may differ, and that an answer may take */
const TOLERANCE = 30;

/** @param platformNow by the platform's own clock, unix seconds; NaN where it does not tell */
export function checkToken({ token, expiresAt }: Issued, page: URL, platformNow: number): Finding[] {
  const read = readToken(token);
  if (!read)
    return [
      wrong(
        "token.form",
        "The token is not one of the platform's.",
        "Pass the URL on unchanged: it may have been cut or encoded twice.",
      ),
    ];
  return [...checkOrigins(read, page), ...checkTimes(read, expiresAt, platformNow)];
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

function checkOrigins({ origins }: Token, page: URL): Finding[] {
  if (origins.includes(page.origin))
    return [ok("token.origins", `The token is for pages of ${page.origin}.`)];
  const some = origins.slice(0, 5).join(", ");
  const others = origins.length > 5 ? ` and ${origins.length - 5} more` : "";
  return [
    wrong(
      "token.origins",
      `The page's origin is ${page.origin}; the token is for ${some ? some + others : "no origin at all"}.`,
      `Have ${page.origin} added to the API key's allowed origins: npm run client -- origins add ID ${page.origin}`,
    ),
  ];
}

function checkTimes({ iat, exp }: Token, expiresAt: number, platformNow: number): Finding[] {
  const findings: Finding[] = [];
  if (expiresAt !== exp)
    findings.push(
      warning(
        "token.time",
        `expiresAt is ${expiresAt}, and the token ends at ${exp}.`,
        "Pass the platform's expiresAt on.",
      ),
    );
  if (Number.isNaN(platformNow)) return findings;
  const age = platformNow - iat;
  if (platformNow >= exp)
    findings.push(
      wrong(
        "token.time",
        `The token ended ${platformNow - exp} s ago.`,
        "Ask the platform for a new URL each time; something keeps the endpoint's answer.",
      ),
    );
  else if (age > TOLERANCE)
    findings.push(
      warning(
        "token.time",
        `The token was issued ${age} s before it was asked for.`,
        "Ask the platform for a new URL each time; something keeps the endpoint's answer.",
      ),
    );
  else if (age < -TOLERANCE)
    findings.push(
      warning(
        "token.time",
        `The token was issued ${-age} s in the future.`,
        "The clocks of the platform's servers differ: tell whoever operates it.",
      ),
    );
  else findings.push(ok("token.time", `The token is new, and lasts ${exp - iat} s.`));
  return findings;
}

/** @param now this computer's, unix seconds */
export function checkClock(platformNow: number, now: number): Finding[] {
  const difference = Math.round(now - platformNow);
  if (Number.isNaN(difference)) return [];
  if (Math.abs(difference) <= TOLERANCE)
    return [ok("clock", "This computer's clock and the platform's agree.")];
  const way = difference > 0 ? "ahead of" : "behind";
  return [
    warning(
      "clock",
      `This computer's clock is ${Math.abs(difference)} s ${way} the platform's.`,
      "The embed does not need it right, but whatever else compares times does: set it by NTP.",
    ),
  ];
}
