/** A Content-Security-Policy: the values of its directives, by name in lower case. Of several with one name the first counts. */
export type Policy = ReadonlyMap<string, readonly string[]>;

/** The policies of a header, separated by commas. */
export function readPolicies(value: string): Policy[] {
  return value
    .split(",")
    .map((policy) => {
      const directives = new Map<string, readonly string[]>();
      for (const directive of policy.split(";")) {
        const [name = "", ...sources] = directive.trim().split(/\s+/);
        if (name && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources);
      }
      return directives;
    })
    .filter(({ size }) => size > 0);
}

/** The directives that apply, the first that exists. https://www.w3.org/TR/CSP3/#directive-fallback-list */
const FALLBACKS: Record<string, readonly string[]> = {
  "frame-src": ["frame-src", "child-src", "default-src"],
  "script-src": ["script-src-elem", "script-src", "default-src"],
  "connect-src": ["connect-src", "default-src"],
};

/** The directive that forbids the page at `page` to load `url`, with its sources; null when none does. */
export function blockedBy(policy: Policy, kind: keyof typeof FALLBACKS, url: URL, page: URL): string | null {
  const name = FALLBACKS[kind]?.find((candidate) => policy.has(candidate));
  const sources = name === undefined ? undefined : policy.get(name);
  if (name === undefined || sources?.some((source) => matches(source, url, page))) return null;
  return sources === undefined ? null : `${name} ${sources.join(" ") || "'none'"}`;
}

/** Whether a source expression allows `url`. https://www.w3.org/TR/CSP3/#match-url-to-source-expression */
function matches(source: string, url: URL, page: URL): boolean {
  const written = source.toLowerCase();
  if (written === "*") return /^(https?|wss?):$/.test(url.protocol) || url.protocol === page.protocol;
  if (written === "'self'") return url.origin === page.origin || isUpgrade(page, url);
  if (/^[a-z][a-z0-9+.-]*:$/.test(written)) return isScheme(written, url.protocol);
  const match =
    /^(?:([a-z][a-z0-9+.-]*:)\/\/)?(\*|(?:\*\.)?[a-z0-9.[\]_-]+?)(?::(\d+|\*))?(\/[^?#]*)?$/i.exec(source);
  if (!match) return false;
  const [, scheme = page.protocol, host = "", port, path] = match;
  return (
    isScheme(scheme.toLowerCase(), url.protocol) &&
    isHost(host.toLowerCase(), url.hostname) &&
    isPort(port, url) &&
    isPath(path, url.pathname)
  );
}

/** `http:` also allows `https:`. */
const isScheme = (allowed: string, protocol: string) =>
  allowed === protocol || (allowed === "http:" && protocol === "https:");
const isUpgrade = (page: URL, url: URL) =>
  page.protocol === "http:" &&
  url.protocol === "https:" &&
  page.hostname === url.hostname &&
  !page.port &&
  !url.port;
const isHost = (allowed: string, hostname: string) =>
  allowed === "*" || (allowed.startsWith("*.") ? hostname.endsWith(allowed.slice(1)) : allowed === hostname);

/** A source without a port allows the default port of the scheme. */
function isPort(allowed: string | undefined, { port }: URL): boolean {
  if (allowed === "*") return true;
  return allowed === undefined
    ? port === ""
    : Number(allowed) === Number(port || (allowed === "80" ? 80 : 443));
}

function isPath(allowed: string | undefined, pathname: string): boolean {
  if (!allowed || allowed === "/") return true;
  return allowed.endsWith("/") ? pathname.startsWith(allowed) : pathname === allowed;
}
