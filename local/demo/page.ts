/** What a page of the demo is made of. One file for each page, in `pages/`; `pages/index.ts` lists them. */

export interface DemoContext {
  /** where an integrator's backend calls, and its browser's pages load the element from */
  apiBaseUrl: string;
  platformBaseUrl: string;
  bucket: string;
  /** where what is sent can be read */
  mailboxUrl: string;
  /** where the local cluster is */
  clusterRegion: string;
  /** of the request */
  query: URLSearchParams;
}

/** What the demo's own server has, and its pages never see. */
export interface DemoBackend {
  apiBaseUrl: string;
  companyId: string;
  /** undefined where the API asks for none */
  bearerToken: string | undefined;
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
  /** how the demo's server responds for this page, by `GET /path`; `body` is what was posted */
  backend?: Record<string, (backend: DemoBackend, body: string) => Promise<DemoResponse>>;
}

/** Calls the API as an integrator's backend does, and hands on its response. `credentials`: the header that carries them. */
export async function callApi(
  { apiBaseUrl, bearerToken }: DemoBackend,
  path: string,
  body?: object,
  credentials: Record<string, string> = bearerToken ? { Authorization: `Bearer ${bearerToken}` } : {},
): Promise<DemoResponse> {
  const response = await fetch(`${apiBaseUrl}${path}`, {
    method: body ? "POST" : "GET",
    headers: {
      ...(body && { "Content-Type": "application/json" }),
      ...credentials,
    },
    body: body && JSON.stringify(body),
  }).catch(() => undefined);
  if (!response) return asJson(502, { error: "The platform cannot be reached." });
  return { status: response.status, type: "application/json", body: await response.text() };
}

export function asJson(status: number, body: object): DemoResponse {
  return { status, type: "application/json", body: JSON.stringify(body) };
}
