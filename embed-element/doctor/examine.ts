import { checkResponse, type Issued, readIssued } from "./check-endpoint";
import { checkFrame, frameHeaders } from "./check-frame";
import { checkPage, checkPolicies, checkScript, describePage, type Page } from "./check-page";
import { checkClock, checkToken } from "./check-token";
import { type Finding, wrong } from "./finding";
import { headerOf, type Received, send } from "./send";

export interface Question {
  /** of the page that embeds */
  page: URL;
  /** of the token endpoint, where the page's HTML does not name it; absolute, or relative to the page */
  endpoint?: string;
  service?: string;
  /** sent to the page's own origin, and to no other */
  headers: Record<string, string>;
  timeoutMs: number;
}

export interface Examined {
  findings: Finding[];
  /** what no report may hold */
  secrets: string[];
}

const MOST_REDIRECTS = 5;

/** Asks as a browser on that page does: for the page, the script, a token and the frame. Changes nothing, and stops where going on is pointless. */
export async function examine(question: Question): Promise<Examined> {
  const findings: Finding[] = [];
  const secrets = Object.values(question.headers).flatMap((value) => [value, ...value.split(/[\s;,=]+/)]);
  const received = await attempt("page.status", "The page", findings, () => open(question));
  if (!received) return { findings, secrets };
  const page = describePage(received);
  findings.push(...checkPage(page, received));
  if (received.status !== 200) return { findings, secrets };
  const scripts = await attempt("page.script", "The script", findings, () =>
    checkScript(page, question.timeoutMs),
  );
  findings.push(...(scripts ?? []));
  const issued = await askForToken(question, page, findings);
  if (issued) {
    secrets.push(issued.token, encodeURIComponent(issued.token));
    await askForFrame(question, page, issued, findings);
  }
  return { findings, secrets };
}

/** The page at the end of all redirects. */
async function open({ page, headers, timeoutMs }: Question): Promise<Received> {
  let url = page;
  for (let count = 0; ; count++) {
    const own = url.origin === page.origin ? headers : {};
    const response = await send(url, { timeoutMs, headers: { Accept: "text/html", ...own } });
    const target = headerOf(response, "location");
    if (response.status < 300 || response.status > 399 || !target || count === MOST_REDIRECTS)
      return response;
    url = new URL(target, url);
  }
}

async function askForToken(question: Question, page: Page, findings: Finding[]): Promise<Issued | undefined> {
  const { embed } = page.tags;
  const service = question.service ?? embed?.get("service") ?? "files";
  const named = question.endpoint ?? embed?.get("token-endpoint");
  if (named === undefined || !URL.canParse(named, page.url)) {
    if (named !== undefined || embed)
      findings.push(
        wrong(
          "endpoint.status",
          `The page's HTML names no token endpoint${named === undefined ? "" : ` that is an address: ${named}`}.`,
          "Set token-endpoint, or name with --endpoint what fetchToken asks.",
        ),
      );
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
  const { timeoutMs } = question;
  const response = await attempt("endpoint.status", `${url.origin}${url.pathname}`, findings, () =>
    send(url, { method: "POST", headers, body, timeoutMs }),
  );
  if (!response) return undefined;
  const verdict = checkResponse(response, page.url);
  findings.push(...verdict);
  if (verdict.some(({ status }) => status === "error")) return undefined;
  const { findings: more, issued } = readIssued(response, service);
  findings.push(...more);
  if (issued) findings.push(...checkPolicies(page, issued.url, url));
  return issued;
}

async function askForFrame(
  { timeoutMs }: Question,
  page: Page,
  issued: Issued,
  findings: Finding[],
): Promise<void> {
  const { url } = issued;
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(url.hostname);
  if (page.url.protocol === "https:" && url.protocol === "http:" && !isLocal)
    findings.push(
      wrong(
        "frame.secure",
        `The page is https, and the frame is ${url.origin}.`,
        "Have the platform served by https: browsers show no http inside.",
      ),
    );
  const response = await attempt("frame.status", url.origin, findings, () =>
    send(url, { timeoutMs, headers: frameHeaders(page.url) }),
  );
  const platformNow = Math.floor(Date.parse(response ? headerOf(response, "date") : "") / 1000);
  findings.push(...checkToken(issued, page.url, platformNow), ...checkClock(platformNow, Date.now() / 1000));
  if (response) findings.push(...checkFrame(response, page));
}

/** What `work` resolves to; where it fails, a finding says that `what` cannot be reached. */
async function attempt<Result>(
  check: string,
  what: string,
  findings: Finding[],
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = /CERT|TLS|SSL|SIGNED/.test(reason)
      ? "Its TLS certificate is not one that browsers take: renew it, with all certificates between it and its root."
      : "Look whether it runs, and at the address, DNS and firewall.";
    findings.push(wrong(check, `${what} cannot be reached (${reason}).`, remedy));
    return undefined;
  }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
