/** The type of the demo's pages, and what several pages use. Each page is a file in `pages/`, and `pages/index.ts` lists them. */
import { escapeHtml } from "../../app/email/escape-html";
import type { DemoUser } from "./users";
import type { WebhookReceiver } from "./webhook-receiver";

export interface DemoContext {
  /** for calls from an integrator's backend */
  apiBaseUrl: string;
  /** from which pages load the element */
  platformBaseUrl: string;
  bucket: string;
  /** shows the e-mails that were sent */
  mailboxUrl: string;
  /** the region of the local cluster */
  clusterRegion: string;
  /** of the page's request */
  query: URLSearchParams;
  user: DemoUser;
}

/** What only the demo's server has. */
export interface DemoBackend {
  apiBaseUrl: string;
  companyId: string;
  /** undefined when the API requires none */
  bearerToken: string | undefined;
  webhooks: WebhookReceiver;
  /** for publishing campaigns */
  queue: { url: string; token: string };
}

export interface DemoResponse {
  status: number;
  type: string;
  body: string | Buffer;
}

export interface DemoPage {
  path: string;
  /** in the menu */
  label: string;
  title: string;
  /** one sentence under the title */
  lead: string;
  /** HTML */
  render(context: DemoContext): string;
  /** this page's endpoints on the demo's server, by `METHOD /path`; `body` is that of the request */
  backend?: Record<string, (backend: DemoBackend, body: string) => Promise<DemoResponse>>;
}

/** Calls the API as an integrator's backend does, and returns its response. */
export async function callApi(
  { apiBaseUrl, bearerToken }: DemoBackend,
  path: string,
  body?: object,
  method = body ? "POST" : "GET",
): Promise<DemoResponse> {
  const response = await fetch(`${apiBaseUrl}${path}`, {
    method,
    headers: {
      ...(body && { "Content-Type": "application/json" }),
      ...(bearerToken && { Authorization: `Bearer ${bearerToken}` }),
    },
    body: body && JSON.stringify(body),
  }).catch(() => undefined);
  if (!response) return asJson(502, { error: "The platform cannot be reached." });
  return { status: response.status, type: "application/json", body: await response.text() };
}

/** Code beside a page, below its title. */
export function codeBlock(title: string, code: string): string {
  return `<div><h3>${title}</h3>
    <pre tabindex="0"><code>${escapeHtml(code)}</code></pre></div>`;
}

export function asJson(status: number, body: object): DemoResponse {
  return { status, type: "application/json", body: JSON.stringify(body) };
}
