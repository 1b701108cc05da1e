/** The reference of the JSON endpoints as Markdown, made from their OpenAPI description. */
import { describeApiWithExamples, exampleOf } from "./api-description";

/** The members of a JSON Schema that are used here. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: Content;
  responses: Record<string, ({ description: string } & Content) | SharedFailure>;
}

interface Described {
  method: string;
  path: string;
  baseUrl: string;
  operation: Operation;
}

/** A failure that any operation may have. */
interface SharedFailure {
  $ref: string;
}

/** By media type. Exports and event streams are not JSON. */
interface Content {
  content?: Record<string, { schema: Schema }>;
}

interface Row {
  /** `scope.bucket`, `files[].key` */
  name: string;
  schema: Schema;
  required: boolean;
}

const callers: Record<string, string> = {
  apiKey: "Header `X-Api-Key: pek_…`.",
  bearerToken: "Header `Authorization: Bearer …`, one of `API_BEARER_TOKEN`.",
  queueSignature: "Header `Queue-Signature`, or `Upstash-Signature`.",
  snsSignature: "Signed by Amazon SNS, in the body.",
};

const { tags, servers, paths, components } = describeApiWithExamples();

export function apiReference(): string {
  const operations: Described[] = Object.entries(paths).flatMap(
    ([path, { servers: own = servers, ...methods }]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        baseUrl: (own as typeof servers)[0]?.url ?? "",
        operation: operation as Operation,
      })),
  );
  return [
    "# API",
    'The [API console](/reference/api-console.html){target="_self"} shows the same with code for curl, JavaScript and Python. With `npm run docs -- --serve` beside `npm run dev`, it sends requests to the stack on your machine.',
    "This page is made from the declarations that validate requests and responses. `GET /openapi.json` of a deployment has the same for programs: generators make a client from it, with a function for each operation and a type for each body. [The contract](../contract.md) has the rules that a schema cannot express.",
    "Bodies are JSON. A failure is `{ error, code?, issues? }`; [errors](errors.md) says what to do about each code.",
    `Failures that any operation may have are not repeated below: ${sharedFailures()}. \`Retry-After\` of 429 and 503 says after how many seconds to try again.`,
    ...tags.flatMap(({ name, description }) => {
      const tagged = operations.filter(({ operation }) => operation.tags.includes(name));
      return [
        `## ${name}`,
        `${description} At \`${tagged[0]?.baseUrl}\` in these examples.`,
        ...tagged.map(describe),
      ];
    }),
  ].join("\n\n");
}

function sharedFailures(): string {
  return Object.values(components.responses)
    .map(({ description }) => names(String(description)))
    .sort()
    .join(", ");
}

function describe({ method, path, baseUrl, operation }: Described): string {
  const { operationId, summary, security, parameters, requestBody, responses } = operation;
  const schemes = (security ?? []).flatMap((scheme) => callers[Object.keys(scheme)[0] ?? ""] ?? []);
  const own = Object.entries(responses).flatMap(([status, response]) =>
    "$ref" in response ? [] : [[status, response] as const],
  );
  const failures = own.filter(([, response]) => isFailure(response));
  const results = own.filter(([, response]) => !isFailure(response));
  return [
    `### \`${method} ${path}\``,
    `\`${operationId}\`: ${summary}.`,
    schemes.join(" Or: "),
    ...["path", "query", "header"].map((place) => describeParameters(place, parameters ?? [])),
    ...alternativesOf(jsonSchema(requestBody)).map((schema) => `**Body**\n\n${table(rowsOf(schema))}`),
    ...results.map(([status, { description, content }]) => {
      const rows = alternativesOf(jsonSchema({ content })).map((schema) => table(rowsOf(schema)));
      const others = Object.keys(content ?? {}).filter((type) => type !== "application/json");
      const said = [
        description === "Done" ? "" : description,
        others.map((type) => `\`${type}\``).join(" or "),
      ];
      return [`**${[status, ...said].filter(Boolean).join(": ")}**`, ...rows].join("\n\n");
    }),
    failures.length > 0
      ? `**Failures**: ${failures.map(([status, { description }]) => `${status} ${names(description)}`).join("; ")}`
      : "",
    describeExample(method, baseUrl + path, operation),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** The recorded request as a call of curl, and its response. */
function describeExample(
  method: string,
  address: string,
  { operationId, parameters = [], security = [] }: Operation,
): string {
  const example = exampleOf(operationId);
  if (!example) return "";
  const { parameters: values = {}, body, status, response } = example;
  const search = new URLSearchParams();
  const headers = [
    ...credentialsOf(security),
    ...(body === undefined ? [] : ["Content-Type: application/json"]),
  ];
  let url = address;
  for (const { name, in: place } of parameters) {
    const value = values[name];
    if (value === undefined) continue;
    if (place === "path") url = url.replace(`{${name}}`, value);
    if (place === "query") search.append(name, value);
    if (place === "header") headers.push(`${name}: ${value}`);
  }
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quote(search.size > 0 ? `${url}?${search}` : url)}`,
    ...headers.map((header) => `-H ${quote(header)}`),
    ...(body === undefined ? [] : [`-d ${quote(json(body))}`]),
  ];
  const isText = typeof response === "string";
  return [
    "**Example**",
    fence("sh", lines.join(" \\\n  ")),
    `It responds with ${status}:`,
    fence(isText ? "text" : "json", isText ? response.trim() : json(response)),
  ].join("\n\n");
}

/** The header of the first way to authenticate. */
function credentialsOf([scheme = {}]: Record<string, unknown>[]): string[] {
  if ("apiKey" in scheme) return ["X-Api-Key: $EMBED_API_KEY"];
  if ("bearerToken" in scheme) return ["Authorization: Bearer $API_BEARER_TOKEN"];
  return [];
}

const json = (value: unknown) => JSON.stringify(value, null, 2);
const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
/** For a shell: in double quotes where the value has a variable of ours, otherwise in single quotes. */
const quote = (text: string) =>
  /\$[A-Z_]+$/.test(text) ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;

const PLACES: Record<string, string> = { path: "Path", query: "Query", header: "Headers" };

function describeParameters(place: string, parameters: NonNullable<Operation["parameters"]>): string {
  const found = parameters.filter((parameter) => parameter.in === place);
  return found.length > 0 ? `**${PLACES[place]}**\n\n${table(found)}` : "";
}

const jsonSchema = (message?: Content) => message?.content?.["application/json"]?.schema;
const isFailure = (response: Content) => jsonSchema(response)?.$ref === "#/components/schemas/Failure";
const names = (list: string) =>
  list
    .split(", ")
    .map((name) => `\`${name}\``)
    .join(", ");
/** The schema itself, where it is a reference to a component. */
const resolve = (schema: Schema): Schema => {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : { ...components.schemas[name], ...schema };
};
const alternativesOf = (schema?: Schema): Schema[] => {
  if (!schema) return [];
  const resolved = resolve(schema);
  return resolved.anyOf ?? resolved.oneOf ?? [resolved];
};

/** One row for each member. The members of an object, or of a list's objects, are below it. */
function rowsOf(reference: Schema, prefix = ""): Row[] {
  const schema = resolve(reference);
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const member = resolve(value);
    const name = prefix + key;
    const required = schema.required?.includes(key) ?? false;
    const inner =
      member.type === "array" && member.items
        ? rowsOf(member.items, `${name}[].`)
        : rowsOf(member, `${name}.`);
    return [{ name, schema: member, required }, ...inner];
  });
}

function table(rows: Row[]): string {
  if (rows.length === 0) return "An empty object.";
  const lines = rows.map(({ name, schema, required }) => {
    const notes = [schema.description, boundsOf(schema), required ? "" : "optional"]
      .filter(Boolean)
      .join("; ");
    return `| \`${name}\` | ${typeOf(schema)} | ${notes} |`;
  });
  return ["| name | type | notes |", "| --- | --- | --- |", ...lines].join("\n").replaceAll("<", "&lt;");
}

function typeOf(reference: Schema): string {
  const schema = resolve(reference);
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return [...new Set(alternatives.map(typeOf))].join(" or ");
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}`;
  return [schema.type ?? "anything"].flat().join(" or ");
}

function boundsOf({ items, minimum, maximum, maxLength, minItems, maxItems }: Schema): string {
  const max = maxLength ?? items?.maxLength;
  return [
    minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? "" : `at least ${number(minimum)}`,
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? "" : `at most ${number(maximum)}`,
    max === undefined ? "" : `at most ${number(max)} characters`,
    minItems ? `at least ${number(minItems)} items` : "",
    maxItems === undefined ? "" : `at most ${number(maxItems)} items`,
  ]
    .filter(Boolean)
    .join(", ");
}

const number = (value: number) => value.toLocaleString("en");
