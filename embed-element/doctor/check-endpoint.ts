import { type Finding, ok, warning, wrong } from "./finding";
import { headerOf, type Received } from "./send";

/** What the token endpoint issued. */
export interface Issued {
  url: URL;
  token: string;
  expiresAt: number;
}

/** characters; servers and proxies refuse request lines of some 8 kB */
const LONGEST_URL = 8_000;

/** What to change where the endpoint passes on why the platform refused. */
const REMEDIES: Record<string, string> = {
  invalid_api_key: "Give your server an API key that is live: the platform does not know the one it sends.",
  api_key_expired: "Give your server a new API key: the one that it sends has expired.",
  service_not_allowed: "Ask for a service that the API key is allowed.",
  service_not_enabled: "Ask for a service that the platform offers.",
  scope_not_allowed: "Ask for a scope that the API key is allowed: its bucket and its paths.",
  origin_not_allowed: "Let your endpoint ask for an origin that the API key is allowed.",
  invalid_request: "Look at the scope that your endpoint asks for; its log says what is wrong with it.",
  platform_invalid: "Set apiBaseUrl to the platform's API.",
  platform_unreachable: "Your server does not reach the platform: look at apiBaseUrl, DNS and firewall.",
  platform_timeout: "The platform does not answer your server in time: look at the network between them.",
  cross_site: "Name the page's origin in the handler's origins.",
  not_signed_in: `The endpoint's scope() gives nothing to this visitor: add --header "Cookie: …" of somebody who is signed in.`,
};

/** @param page where it is asked from */
export function checkResponse(response: Received, page: URL): Finding[] {
  const { status, url } = response;
  const where = `${url.origin}${url.pathname}`;
  const check = "endpoint.status";
  if (status >= 300 && status < 400) {
    const target = headerOf(response, "location").split("?")[0];
    const remedy = `Answer 401 to who is not signed in. If it is the session that is missing: --header "Cookie: …".`;
    return [wrong(check, `${where} redirects to ${target || "another address"}.`, remedy)];
  }
  const { code, error } = readFailure(response.text);
  const said = `${where} answers with status ${status}${code ? ` and ${code}` : ""}${error ? `: ${error}` : "."}`;
  if (status === 401)
    return [wrong(check, said, REMEDIES[code] ?? `Add --header "Cookie: …" of somebody who is signed in.`)];
  if (status === 403)
    return [
      wrong(
        check,
        said,
        REMEDIES[code] ?? "Look for a CSRF token that the endpoint wants, or a rule of a firewall.",
      ),
    ];
  if (status === 404 || status === 405)
    return [wrong(check, said, "token-endpoint has to name an address of yours that answers POST.")];
  if (status !== 200) return [wrong(check, said, REMEDIES[code] ?? "Your server's log says why.")];
  const cors = headerOf(response, "access-control-allow-origin");
  if (url.origin !== page.origin && cors !== "*" && cors !== page.origin)
    return [
      wrong(
        "endpoint.cors",
        `${url.origin} does not let pages of ${page.origin} read its answer.`,
        `Use an address on ${page.origin}, which gets the visitor's cookies as well; or answer Access-Control-Allow-Origin: ${page.origin}, to the OPTIONS request too.`,
      ),
    ];
  return [ok(check, `${where} answers.`)];
}

function readFailure(text: string): { code: string; error: string } {
  const { code, error } = parse(text) as { code?: unknown; error?: unknown };
  return {
    code: typeof code === "string" ? code : "",
    error: typeof error === "string" ? error.slice(0, 200) : "",
  };
}

/** The members of a good answer, or what is wrong with them. */
export function readIssued(response: Received, service: string): { findings: Finding[]; issued?: Issued } {
  const check = "endpoint.fields";
  const type = headerOf(response, "content-type").split(";")[0] ?? "";
  const body = parse(response.text) as { url?: unknown; expiresAt?: unknown; service?: unknown };
  const failed = (message: string, remedy: string) => ({ findings: [wrong(check, message, remedy)] });
  if (typeof body.url !== "string") {
    if (type === "text/html")
      return failed(
        "The endpoint answers with a page (text/html).",
        "Answer 401 to who is not signed in, not a sign-in page.",
      );
    return failed(
      `The endpoint's answer (${type || "no type"}) has no url.`,
      "Pass on what POST /api/embed/url answers: { url, expiresAt, service }.",
    );
  }
  const url = URL.canParse(body.url) ? new URL(body.url) : null;
  const token = url?.searchParams.get("t");
  if (!url || !/^https?:$/.test(url.protocol) || !token)
    return failed(
      "The url of the endpoint's answer is not an absolute URL with a token (t) in it.",
      "Pass the URL on unchanged.",
    );
  if (body.service !== service || !url.pathname.endsWith(`/embed/${service}`))
    return failed(
      `The answer is for the service ${String(body.service)} at ${url.pathname}, and the page asks for ${service}.`,
      "Set the tag's service, or the endpoint's, so that they are the same.",
    );
  if (typeof body.expiresAt !== "number" || !Number.isInteger(body.expiresAt) || body.expiresAt > 1e11)
    return failed(
      "expiresAt is not a number of unix seconds.",
      "Pass on what POST /api/embed/url answers, unchanged.",
    );
  const findings = [
    ok(check, "The answer has url, expiresAt and service."),
    ...checkCaching(response),
    ...checkLength(body.url),
  ];
  return { findings, issued: { url, token, expiresAt: body.expiresAt } };
}

function checkCaching(response: Received): Finding[] {
  const value = headerOf(response, "cache-control");
  if (!/public|s-maxage/.test(value)) return [];
  return [
    wrong(
      "endpoint.cache",
      `The endpoint's answer has Cache-Control: ${value}.`,
      "Answer Cache-Control: no-store: the token is one visitor's.",
    ),
  ];
}

function checkLength({ length }: string): Finding[] {
  const remedy = "Name the page's origin when you ask for the URL (origin): the token then holds no other.";
  const message = `The URL has ${length} characters.`;
  if (length > LONGEST_URL) return [wrong("token.length", message, remedy)];
  return [length > LONGEST_URL / 2 ? warning("token.length", message, remedy) : ok("token.length", message)];
}

function parse(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
