import type { CorsRule } from "./bucket";
import { malformedXml, S3Error } from "./errors";
import type { Headers, Reply } from "./operation";
import type { S3Request } from "./request";
import { childrenNamed, parseXml, textOf, type XmlObject } from "./xml";

const METHODS = ["GET", "PUT", "HEAD", "POST", "DELETE"];

/** Responds to a preflight as the bucket's rules say. It needs no signature. Amazon S3 API Reference, "OPTIONS object". */
export function preflightReply(request: S3Request, rules: CorsRule[]): Reply {
  const { headers: sent } = request.raw;
  const { origin } = sent;
  const method = sent["access-control-request-method"];
  const headers = (sent["access-control-request-headers"] ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");
  if (origin === undefined || method === undefined) {
    throw new S3Error(
      "BadRequest",
      "Insufficient information. Origin and Access-Control-Request-Method request headers needed.",
    );
  }
  const rule = findRule(rules, origin, method, headers);
  if (!rule) {
    throw new S3Error(
      "AccessForbidden",
      "CORSResponse: This CORS request is not allowed by the bucket's rules.",
    );
  }
  const allowed = headers.length > 0 && { "access-control-allow-headers": headers.join(", ") };
  return { status: 200, headers: { ...headersOf(rule, origin), ...allowed } };
}

/** The headers that let a page of the request's origin read the response; none when no rule allows it. */
export function corsHeaders(request: S3Request, rules: CorsRule[]): Headers {
  const { origin } = request.raw.headers;
  if (origin === undefined || request.method === "OPTIONS") return {};
  const rule = findRule(rules, origin, request.method, []);
  return rule ? headersOf(rule, origin) : {};
}

function headersOf(rule: CorsRule, origin: string): Headers {
  const isAny = rule.allowedOrigins.includes("*");
  return {
    "access-control-allow-origin": isAny ? "*" : origin,
    "access-control-allow-methods": rule.allowedMethods.join(", "),
    ...(!isAny && { "access-control-allow-credentials": "true" }),
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
  const [before = "", after] = pattern.split("*");
  if (after === undefined) return pattern === text;
  return text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after);
}

/** The rules in the body of PutBucketCors. Throws MalformedXML and InvalidRequest. */
export function parseCorsRules(document: string): CorsRule[] {
  const root = parseXml(document, "CORSConfiguration");
  const rules = childrenNamed(root, "CORSRule").map((node): CorsRule => {
    const texts = (name: string) => childrenNamed(node, name).map((child) => child.text);
    const maxAge = textOf(node, "MaxAgeSeconds");
    if (maxAge !== undefined && !/^[0-9]{1,9}$/.test(maxAge)) throw malformedXml();
    return {
      id: textOf(node, "ID"),
      allowedOrigins: texts("AllowedOrigin"),
      allowedMethods: texts("AllowedMethod"),
      allowedHeaders: texts("AllowedHeader"),
      exposeHeaders: texts("ExposeHeader"),
      maxAgeSeconds: maxAge === undefined ? undefined : Number(maxAge),
    };
  });
  if (rules.length === 0) throw malformedXml();
  for (const rule of rules) checkRule(rule);
  return rules;
}

function checkRule({ allowedOrigins, allowedMethods, allowedHeaders }: CorsRule): void {
  if (allowedOrigins.length === 0 || allowedMethods.length === 0) throw malformedXml();
  const method = allowedMethods.find((name) => !METHODS.includes(name));
  if (method !== undefined) {
    throw new S3Error(
      "InvalidRequest",
      `Found unsupported HTTP method in CORS config. Unsupported method is ${method}`,
    );
  }
  const pattern = [...allowedOrigins, ...allowedHeaders].find((text) => text.split("*").length > 2);
  if (pattern !== undefined) {
    throw new S3Error("InvalidRequest", `"${pattern}" can not have more than one wildcard.`);
  }
}

/** The content of the response to GetBucketCors. */
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
