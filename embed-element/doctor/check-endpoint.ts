import { ok, toFindings, type Verdict, warning, wrong } from "./report";
import { headerOf, type Received } from "./send";

/** What the token endpoint issued. */
export interface Issued {
  url: URL;
  token: string;
  /** unix seconds */
  expiresAt: number;
}

/** characters; servers and proxies refuse request lines of some 8 kB */
const MAX_URL_LENGTH = 8_000;

const SESSION = `Add --header "Cookie: …" of somebody who is signed in.`;

/** How to fix each code with which the endpoint passes on why the platform refused. */
const REMEDIES: Record<string, string> = {
  invalid_api_key:
    "Give your server an API key that is live (EMBED_API_KEY): the whole pek_…, as `npm run client -- create` printed it. `npm run client -- list` lists the live ones.",
  configuration_invalid:
    "Set what the message names: a variable of your server's environment, or a member of the scope that your endpoint returns.",
  api_key_expired: "Give your server a new API key: the one that it sends has expired.",
  service_not_allowed: "Ask for a service that the API key is allowed.",
  service_not_enabled: "Ask for a service that the platform offers.",
  scope_not_allowed: "Ask for a scope that the API key is allowed: its bucket and its paths.",
  origin_not_allowed: "Let your endpoint ask for an origin that the API key is allowed.",
  invalid_request:
    "Check the scope that your endpoint asks for; your server's log says what is wrong with it.",
  platform_invalid: "Set apiBaseUrl to the platform's API.",
  platform_unreachable: "Your server does not reach the platform: check apiBaseUrl, DNS and the firewall.",
  platform_timeout: "The platform does not answer your server in time: check the network between them.",
  cross_site: "Name the page's origin in the handler's origins.",
  not_signed_in: `Your endpoint's function for the scope returns nothing for this visitor. ${SESSION}`,
};

/** @param page the page that the request pretends to come from */
export function checkResponse(response: Received, page: URL): Verdict {
  const { status, url } = response;
  const where = `${url.origin}${url.pathname}`;
  if (status >= 300 && status < 400) {
    const target = headerOf(response, "location").split("?")[0];
    return wrong(
      `${where} redirects to ${target || "another address"}.`,
      `Answer 401 to visitors who are not signed in. If the session is missing: --header "Cookie: …".`,
    );
  }
  if (status !== 200) {
    const { code, error } = parse(response.text);
    const reason = typeof error === "string" ? `: ${error.slice(0, 200)}` : ".";
    const remedies: Record<number, string> = {
      401: SESSION,
      403: "Look for a CSRF token that the endpoint requires, or a rule of a firewall.",
      404: "Set token-endpoint to an address of yours that answers POST.",
      405: "Set token-endpoint to an address of yours that answers POST.",
    };
    return wrong(
      `${where} answers with status ${status}${typeof code === "string" ? ` and ${code}` : ""}${reason}`,
      REMEDIES[String(code)] ?? remedies[status] ?? "Your server's log says why.",
    );
  }
  const cors = headerOf(response, "access-control-allow-origin");
  if (url.origin !== page.origin && cors !== "*" && cors !== page.origin)
    return {
      ...wrong(
        `${url.origin} does not let pages of ${page.origin} read its response.`,
        `Use an address on ${page.origin}, which also gets the visitor's cookies; or send ` +
          `Access-Control-Allow-Origin: ${page.origin}, for the OPTIONS request too.`,
      ),
      check: "endpoint.cors",
    };
  return ok(`${where} answers.`);
}

/** The contents of a 200 response, or what is wrong with it. */
export function readIssued(response: Received, service: string): { verdicts: Verdict[]; issued?: Issued } {
  const { url: text, expiresAt, service: issuedService } = parse(response.text);
  const failed = (message: string, remedy: string) => ({ verdicts: [wrong(message, remedy)] });
  if (typeof text !== "string") {
    const type = headerOf(response, "content-type").split(";")[0];
    if (type === "text/html")
      return failed(
        "The endpoint answers with a page (text/html).",
        "Answer 401 to visitors who are not signed in, not a sign-in page.",
      );
    return failed(
      `The endpoint's response (${type || "no type"}) has no url.`,
      "Pass on what POST /api/embed/url returns: { url, expiresAt, service }.",
    );
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  const token = url?.searchParams.get("t");
  if (!url || !/^https?:$/.test(url.protocol) || !token)
    return failed(
      "The url of the endpoint's response is not an absolute URL with a token (t) in it.",
      "Pass the URL on unchanged.",
    );
  if (issuedService !== service || !url.pathname.endsWith(`/embed/${service}`))
    return failed(
      `The response is for the service ${String(issuedService)} at ${url.pathname}, and the page asks for ${service}.`,
      "Use the same service in the tag and in the endpoint.",
    );
  if (typeof expiresAt !== "number" || !Number.isInteger(expiresAt) || expiresAt > 1e11)
    return failed(
      "expiresAt is not a number of unix seconds.",
      "Pass on what POST /api/embed/url returns, unchanged.",
    );
  const verdicts = [
    ok("The response has url, expiresAt and service."),
    ...toFindings("endpoint.cache", checkCaching(response)),
    ...toFindings("token.length", checkLength(text.length)),
  ];
  return { verdicts, issued: { url, token, expiresAt } };
}

function checkCaching(response: Received): Verdict[] {
  const value = headerOf(response, "cache-control");
  if (!/public|s-maxage/.test(value)) return [];
  const message = `The endpoint's response has Cache-Control: ${value}.`;
  const remedy = "Send Cache-Control: no-store: a token is for one visitor.";
  return [wrong(message, remedy)];
}

function checkLength(length: number): Verdict {
  const remedy =
    "Name the page's origin when you ask for the URL (origin): the token then contains no other.";
  const message = `The URL has ${length} characters.`;
  if (length > MAX_URL_LENGTH) return wrong(message, remedy);
  return length > MAX_URL_LENGTH / 2 ? warning(message, remedy) : ok(message);
}

/** The members of a JSON object; none where the text is something else. */
function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
