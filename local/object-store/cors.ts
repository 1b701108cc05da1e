import { S3Error } from "./errors";
import type { Reply, ReplyHeaders } from "./reply";
import type { S3Request } from "./request";
import { childrenNamed, malformed, parseXml, textOf, type XmlObject } from "./xml";

export interface CorsRule {
  id: string | undefined;
  /** each with at most one `*` */
  allowedOrigins: string[];
  allowedMethods: string[];
  /** each with at most one `*`, compared without regard to case */
  allowedHeaders: string[];
  exposeHeaders: string[];
  /** seconds */
  maxAgeSeconds: number | undefined;
}

const METHODS = ["GET", "PUT", "HEAD", "POST", "DELETE"];
const MOST_RULES = 100;

/** Responds to a preflight as the bucket's rules say (Amazon S3 API Reference, "OPTIONS object"). Needs no signature. */
export function respondToPreflight(request: S3Request, rules: CorsRule[]): Reply {
  const { origin } = request.raw.headers;
  const method = request.raw.headers["access-control-request-method"];
  const headers = listOf(request.raw.headers["access-control-request-headers"]);
  if (origin === undefined) {
    throw new S3Error("BadRequest", "Insufficient information. Origin request header needed.");
  }
  if (method === undefined || !METHODS.includes(method)) {
    throw new S3Error("BadRequest", `Invalid Access-Control-Request-Method: ${method ?? "null"}`);
  }
  if (rules.length === 0) {
    throw new S3Error("AccessForbidden", "CORSResponse: CORS is not enabled for this bucket.");
  }
  const rule = findRule(rules, origin, method, headers);
  if (!rule) {
    throw new S3Error(
      "AccessForbidden",
      "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
    );
  }
  const allowed = headers.length > 0 && { "access-control-allow-headers": headers.join(", ") };
  return { status: 200, headers: { ...headersOf(rule, origin), ...allowed } };
}

/** The headers that let a page of the request's origin read the response; none when no rule allows it. */
export function corsHeaders(request: S3Request, rules: CorsRule[]): ReplyHeaders {
  const { origin } = request.raw.headers;
  if (origin === undefined || request.method === "OPTIONS") return {};
  const rule = findRule(rules, origin, request.method, []);
  return rule ? headersOf(rule, origin) : {};
}

function headersOf(rule: CorsRule, origin: string): ReplyHeaders {
  const any = rule.allowedOrigins.includes("*");
  return {
    "access-control-allow-origin": any ? "*" : origin,
    "access-control-allow-methods": rule.allowedMethods.join(", "),
    ...(!any && { "access-control-allow-credentials": "true" }),
    ...(rule.exposeHeaders.length > 0 && { "access-control-expose-headers": rule.exposeHeaders.join(", ") }),
    ...(rule.maxAgeSeconds !== undefined && { "access-control-max-age": String(rule.maxAgeSeconds) }),
    vary: "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
  };
}

function findRule(
  rules: CorsRule[],
  origin: string,
  method: string,
  headers: string[],
): CorsRule | undefined {
  return rules.find(
    (rule) =>
      rule.allowedMethods.includes(method) &&
      rule.allowedOrigins.some((pattern) => matches(pattern, origin)) &&
      headers.every((header) =>
        rule.allowedHeaders.some((pattern) => matches(pattern.toLowerCase(), header)),
      ),
  );
}

function matches(pattern: string, text: string): boolean {
  const star = pattern.indexOf("*");
  if (star === -1) return pattern === text;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after);
}

function listOf(header: string | undefined): string[] {
  return (header ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");
}

/** The rules in the body of PutBucketCors. Throws MalformedXML and InvalidRequest. */
export function parseCorsRules(document: string): CorsRule[] {
  const root = parseXml(document);
  const rules = childrenNamed(root, "CORSRule").map((node): CorsRule => {
    const texts = (name: string) => childrenNamed(node, name).map((child) => child.text);
    const maxAge = textOf(node, "MaxAgeSeconds");
    if (maxAge !== undefined && !/^[0-9]{1,9}$/.test(maxAge)) throw malformed();
    return {
      id: textOf(node, "ID"),
      allowedOrigins: texts("AllowedOrigin"),
      allowedMethods: texts("AllowedMethod"),
      allowedHeaders: texts("AllowedHeader"),
      exposeHeaders: texts("ExposeHeader"),
      maxAgeSeconds: maxAge === undefined ? undefined : Number(maxAge),
    };
  });
  if (root.name !== "CORSConfiguration" || rules.length === 0 || rules.length > MOST_RULES) throw malformed();
  for (const rule of rules) checkRule(rule);
  return rules;
}

function checkRule(rule: CorsRule): void {
  if (rule.allowedOrigins.length === 0 || rule.allowedMethods.length === 0) throw malformed();
  for (const method of rule.allowedMethods) {
    if (!METHODS.includes(method)) {
      throw new S3Error(
        "InvalidRequest",
        `Found unsupported HTTP method in CORS config. Unsupported method is ${method}`,
      );
    }
  }
  for (const pattern of [...rule.allowedOrigins, ...rule.allowedHeaders]) {
    if (pattern.split("*").length > 2) {
      throw new S3Error("InvalidRequest", `"${pattern}" can not have more than one wildcard.`);
    }
  }
  for (const name of rule.exposeHeaders) {
    if (!/^[A-Za-z0-9-]+$/.test(name)) {
      throw new S3Error("InvalidRequest", `ExposeHeader "${name}" contains an invalid character.`);
    }
  }
}

/** What the response to GetBucketCors holds. */
export function corsElements(rules: CorsRule[]): XmlObject {
  return {
    CORSRule: rules.map((rule) => ({
      ID: rule.id,
      AllowedOrigin: rule.allowedOrigins,
      AllowedMethod: rule.allowedMethods,
      AllowedHeader: rule.allowedHeaders,
      ExposeHeader: rule.exposeHeaders,
      MaxAgeSeconds: rule.maxAgeSeconds,
    })),
  };
}
