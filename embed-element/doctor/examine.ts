import { checkResponse, type Issued, readIssued } from "./check-endpoint";
import { checkFrame, frameHeaders } from "./check-frame";
import { checkPage, checkPolicies, checkScript, describePage, type Page } from "./check-page";
import { checkClock, checkToken } from "./check-token";
import { type Finding, hasError, runCheck, toFindings, type Verdict, warning, wrong } from "./report";
import { headerOf, type Received, send } from "./send";

export interface Question {
  /** the page that embeds */
  page: URL;
  /** the token endpoint, where the page's HTML does not name it; absolute, or relative to the page */
  endpoint?: string;
  service?: string;
  /** sent to the page's own origin, and to no other */
  headers: Record<string, string>;
  /** of one check */
  timeoutMs: number;
}

const MAX_REDIRECTS = 5;

/**
 * Asks as a browser does for the page, its script, a token and the frame. Changes nothing, and stops where going on is
 * pointless. No finding contains a token, or a value of the headers.
 */
export async function examine(question: Question): Promise<Finding[]> {
  const secrets = Object.values(question.headers).flatMap((value) => [value, ...value.split(/[\s;,=]+/)]);
  const findings: Finding[] = [];
  const page = await openPage(question, findings);
  if (page) {
    const limits = { checkMs: question.timeoutMs };
    const script = {
      name: "page.script",
      run: (signal: AbortSignal) => checkScript(page, question.endpoint !== undefined, signal),
      explain: unreachable("The script", question),
    };
    findings.push(...(await runCheck(script, limits)));
    const issued = await askForToken(question, page, findings);
    if (issued) {
      secrets.push(issued.token, encodeURIComponent(issued.token));
      await askForFrame(question, page, issued, findings);
    }
  }
  return withoutSecrets(findings, secrets);
}

/** Undefined where there is no page to look at. */
async function openPage(question: Question, findings: Finding[]): Promise<Page | undefined> {
  const received = await ask("page.status", "The page", question, findings, (signal) =>
    followRedirects(question, signal),
  );
  if (!received) return undefined;
  const page = describePage(received);
  findings.push(...toFindings("page.status", checkPage(page, received)));
  return received.status === 200 ? page : undefined;
}

async function followRedirects({ page, headers }: Question, signal: AbortSignal): Promise<Received> {
  let url = page;
  for (let count = 0; ; count++) {
    const own = url.origin === page.origin ? headers : {};
    const response = await send(url, { signal, headers: { Accept: "text/html", ...own } });
    const target = headerOf(response, "location");
    if (response.status < 300 || response.status > 399 || !target || count === MAX_REDIRECTS) return response;
    url = new URL(target, url);
  }
}

async function askForToken(question: Question, page: Page, findings: Finding[]): Promise<Issued | undefined> {
  const { embed, script } = page.tags;
  const service = question.service ?? embed?.get("service") ?? "files";
  const named = question.endpoint ?? embed?.get("token-endpoint");
  if (named === undefined && embed && !script) {
    // React's server leaves out what its component sets as a property in the browser.
    const unknown = warning(
      "The page's HTML names no token endpoint.",
      "That is right where your own bundle sets it. Name it with --endpoint, and it is checked too.",
    );
    findings.push(...toFindings("endpoint.status", unknown));
    return undefined;
  }
  if (named === undefined || !URL.canParse(named, page.url)) {
    const invalid = wrong(
      `The page's HTML names no token endpoint${named === undefined ? "" : ` with a valid address: ${named}`}.`,
      "Set token-endpoint; if the page uses fetchToken, name the address that it calls with --endpoint.",
    );
    if (named !== undefined || embed) findings.push(...toFindings("endpoint.status", invalid));
    return undefined;
  }
  const url = new URL(named, page.url);
  const isOwn = url.origin === page.url.origin;
  const scope = embed?.get("scope");
  const body = JSON.stringify({ service, ...(scope ? { scope: tryJson(scope) } : {}), reason: "initial" });
  const headers = {
    Accept: "application/json",
    "Content-Type": "application/json",
    Origin: page.url.origin,
    Referer: `${page.url.origin}/`,
    "Sec-Fetch-Dest": "empty",
    "Sec-Fetch-Mode": "cors",
    "Sec-Fetch-Site": isOwn ? "same-origin" : "cross-site",
    ...(isOwn ? question.headers : {}),
  };
  const what = `${url.origin}${url.pathname}`;
  const response = await ask("endpoint.status", what, question, findings, (signal) =>
    send(url, { signal, method: "POST", headers, body }),
  );
  if (!response) return undefined;
  const verdict = checkResponse(response, page.url);
  findings.push(...toFindings("endpoint.status", verdict));
  if (hasError([verdict])) return undefined;
  const { verdicts, issued } = readIssued(response, service);
  findings.push(...toFindings("endpoint.fields", verdicts));
  if (issued) findings.push(...toFindings("page.frame-src", checkPolicies(page, issued.url, url)));
  return issued;
}

async function askForFrame(
  question: Question,
  page: Page,
  issued: Issued,
  findings: Finding[],
): Promise<void> {
  const { url } = issued;
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(url.hostname);
  if (page.url.protocol === "https:" && url.protocol === "http:" && !isLocal) {
    const message = `The page is https, and the frame is ${url.origin}.`;
    const insecure = wrong(
      message,
      "Serve the platform by https: browsers show no http inside an https page.",
    );
    findings.push(...toFindings("frame.secure", insecure));
  }
  const response = await ask("frame.status", url.origin, question, findings, (signal) =>
    send(url, { signal, headers: frameHeaders(page.url) }),
  );
  const platformNow = Math.floor(Date.parse(response ? headerOf(response, "date") : "") / 1000);
  const token = checkToken(issued, page.url, page.tags.embed?.get("path"), platformNow);
  // The frame is refused for that, too.
  const isForOthers = hasError(token.filter(({ check }) => check === "token.origins"));
  findings.push(
    ...toFindings("token.time", token),
    ...toFindings("clock", checkClock(platformNow, Date.now() / 1000)),
    ...(response && !isForOthers ? toFindings("frame.status", checkFrame(response, page)) : []),
  );
}

/** The response to a request; without one, undefined and a finding that says why. */
async function ask(
  name: string,
  what: string,
  question: Question,
  findings: Finding[],
  work: (signal: AbortSignal) => Promise<Received>,
): Promise<Received | undefined> {
  let response: Received | undefined;
  const run = async (signal: AbortSignal) => {
    response = await work(signal);
    return [];
  };
  const check = { name, run, explain: unreachable(what, question) };
  findings.push(...(await runCheck(check, { checkMs: question.timeoutMs })));
  return response;
}

const unreachable =
  (what: string, { timeoutMs }: Question) =>
  (error: unknown): Verdict => {
    const { name, message, code } = error as NodeJS.ErrnoException;
    const reason = name === "TimeoutError" ? `no response within ${timeoutMs / 1000} s` : (code ?? message);
    const remedy = /CERT|TLS|SSL|SIGNED/.test(reason)
      ? "Browsers refuse its TLS certificate: renew it, and install it with its chain of certificates."
      : "Check that it runs, its address, DNS and the firewall.";
    return wrong(`${what} cannot be reached (${reason}).`, remedy);
  };

/** Hides secrets of more than five characters, the longest first: one may contain another. */
function withoutSecrets(findings: readonly Finding[], secrets: readonly string[]): Finding[] {
  const known = secrets.filter(({ length }) => length > 5).sort((one, other) => other.length - one.length);
  const hide = (text: string) => known.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
  return findings.map(({ message, remedy, ...finding }) => ({
    ...finding,
    message: hide(message),
    ...(remedy === undefined ? {} : { remedy: hide(remedy) }),
  }));
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
