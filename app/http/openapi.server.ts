import { isDeepStrictEqual } from "node:util";
import { MAX_BYTES_WITHOUT_TOKEN_HEADER } from "platform-embed-element/client";
import { z } from "zod";
import { type AppErrorCode, errorCodes } from "../shared/app-error";
import { webhookHeadersSchema, webhookMessageSchemas } from "../webhooks/send-webhook.server";
import type { RouteContract } from "./api-route.server";
import type { AppContext } from "./app-context.server";
import { type Audience, type Endpoint, isOptional } from "./endpoint.server";

type JsonSchema = Record<string, unknown>;

/** By what an operation is grouped: who calls it. */
const tags: Record<Audience, { name: string; description: string }> = {
  integrators: {
    name: "Integrators' backends",
    description:
      "What your backend calls: embed URLs with an API key, e-mail and databases with a bearer token. A generated client needs only these operations.",
  },
  frame: {
    name: "Embedded frame",
    description:
      "What the scripts of an embedded frame call from the browser, with the embed token in the body. Your backend does not need them.",
  },
  providers: {
    name: "Queue and mail provider",
    description: "What the message queue and Amazon SNS call, with signed messages.",
  },
  operators: {
    name: "Operators",
    description: "Health checks for load balancers. Both base URLs have them.",
  },
};

/**
 * The OpenAPI 3.1 description of the API. It is made from the declarations that also validate requests and
 * shape responses.
 */
export function describeApi(contracts: readonly RouteContract[], app: AppContext) {
  const { apiBaseUrl, platformBaseUrl } = app.env;
  const platform = { servers: [{ url: platformBaseUrl, description: "for browsers" }] };
  const components = new Components();
  const described = contracts.filter(isDescribed).sort((one, other) => (one.route < other.route ? -1 : 1));
  const paths = described.map(({ route, role, methods }) => {
    const operations = Object.entries(methods).map(([method, endpoint]) => [
      method.toLowerCase(),
      describeOperation(endpoint, app, components),
    ]);
    return [
      route.replace(/:(\w+)/g, "{$1}"),
      { ...(role === "platform" ? platform : {}), ...Object.fromEntries(operations) },
    ];
  });
  return {
    openapi: "3.1.0",
    info: {
      title: "Platform Embed",
      version: "1",
      description: "Embedded files, themed e-mail and cluster databases.",
    },
    servers: [{ url: apiBaseUrl, description: "for integrators' backends" }],
    tags: Object.values(tags),
    paths: Object.fromEntries(paths) as Record<string, JsonSchema>,
    webhooks: describeWebhooks(components),
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-Api-Key" },
        bearerToken: { type: "http", scheme: "bearer" },
        embedToken: {
          type: "http",
          scheme: "bearer",
          description: `The embed token of a request without a body. With one it is the token of the body again, and only bodies over ${MAX_BYTES_WITHOUT_TOKEN_HEADER} bytes need it.`,
        },
        queueSignature: { type: "apiKey", in: "header", name: "Queue-Signature" },
        // OpenAPI cannot describe a signature in the body. Amazon names the type of its messages in this header.
        snsSignature: { type: "apiKey", in: "header", name: "x-amz-sns-message-type" },
      },
      schemas: components.schemas,
      responses: components.responses,
    },
  };
}

/** What operations refer to by name, so that clients generated from the description have types of these names. */
class Components {
  readonly schemas: Record<string, JsonSchema> = {};
  /** of failures that any operation may have */
  readonly responses: Record<string, JsonSchema> = {};

  /**
   * A reference to `schema`, or to any of several. A schema with `.meta({ id })` has that name everywhere, also inside of others.
   * @param name for a schema without an id
   */
  refTo(schemas: readonly z.ZodType[], io: "input" | "output", name: string): JsonSchema {
    const [first, ...others] = schemas.map((schema) => this.#named(schema, io));
    const only = others.length === 0 ? first : undefined;
    if (only && "$ref" in only) return { $ref: only.$ref };
    const id = (only && schemas[0]?.meta()?.id) ?? name;
    this.add(id, only ?? { anyOf: [first, ...others] });
    return { $ref: REFERENCE + id };
  }

  /** The JSON Schema of `schema`, whose named schemas become components. */
  #named(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const text = JSON.stringify(jsonSchema(schema, io)).replaceAll('"#/$defs/', `"${REFERENCE}`);
    const { $defs = {}, ...described } = JSON.parse(text) as JsonSchema & {
      $defs?: Record<string, JsonSchema>;
    };
    for (const [id, named] of Object.entries($defs)) this.add(id, named);
    return described;
  }

  add(name: string, schema: JsonSchema): void {
    const known = this.schemas[name];
    if (known && !isDeepStrictEqual(known, schema)) throw new Error(`Two schemas are called ${name}.`);
    this.schemas[name] = schema;
  }
}

const REFERENCE = "#/components/schemas/";

/** The body of every failure: `error` is a sentence for people, `code` is stable and for programs. */
export const failureSchema = z
  .object({
    error: z.string().describe("a sentence for a person"),
    code: z.string().describe("for a program; stable").optional(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: "Failure" });

/** Endpoints that respond with JSON; not pages, files and this description. */
const isDescribed = ({ route, methods }: RouteContract) =>
  route !== "/openapi.json" &&
  Object.values(methods).some(
    ({ responses, mediaTypes }) => Object.keys(responses).length > 0 || mediaTypes.length > 0,
  );

function describeOperation(endpoint: Endpoint, app: AppContext, components: Components): JsonSchema {
  const { operationId, summary, auth, takesTokenInHeader, headers, params, query, errors, isLimited } =
    endpoint;
  const typeName = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  const bodies = endpoint.bodies(app);
  const parameters = [
    ...parametersOf(params, "path"),
    ...parametersOf(query, "query"),
    ...parametersOf(headers, "header"),
  ];
  const takesInput = bodies.length > 0 || query !== undefined;
  const codes: AppErrorCode[] = [
    ...(takesInput ? (["invalid_request"] as const) : []),
    ...(auth?.errors ?? []),
    ...errors,
    ...(bodies.length > 0 ? bodyCodes : []),
    ...(isLimited ? (["rate_limited"] as const) : []),
    ...anyCodes,
  ];
  const body = bodies.length > 0 && components.refTo(bodies, "input", `${typeName}Request`);
  return {
    operationId,
    summary,
    tags: [tags[auth?.audience ?? "operators"].name],
    // Empty: the token is in the body, or nobody needs any.
    security: takesTokenInHeader
      ? [{ embedToken: [] }, {}]
      : (auth?.schemes ?? []).map((scheme) => ({ [scheme]: [] })),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: !bodies.every(isOptional), content: json(body) } } : {}),
    responses: {
      ...failureResponses(codes, components),
      ...resultResponses(endpoint, typeName, components),
    },
  };
}

/** What is sent to webhooks, by type of event. */
function describeWebhooks(components: Components): Record<string, JsonSchema> {
  const refs = webhookMessageSchemas.flatMap((schema) => {
    const ref = components.refTo([schema], "output", "");
    return schema.shape.type.options.map((type) => ({ type, ref }));
  });
  components.add("WebhookMessage", {
    oneOf: [...new Set(refs.map(({ ref }) => ref))],
    discriminator: {
      propertyName: "type",
      mapping: Object.fromEntries(refs.map(({ type, ref }) => [type, ref.$ref])),
    },
  });
  const described = refs.map(({ type, ref }) => [
    type,
    {
      post: {
        summary: `An event of type ${type}`,
        // The signature is in the headers.
        security: [],
        parameters: parametersOf(webhookHeadersSchema, "header"),
        requestBody: { required: true, content: json(ref) },
        responses: {
          "2XX": { description: "It is delivered." },
          410: { description: "The webhook is switched off." },
          default: { description: "It is sent again later." },
        },
      },
    },
  ]);
  return Object.fromEntries(described);
}

function parametersOf(schema: z.ZodType | undefined, place: "path" | "query" | "header"): JsonSchema[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, "input") as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, described]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(described.description ? { description: described.description } : {}),
    schema: described,
  }));
}

function resultResponses(
  { responses, mediaTypes }: Endpoint,
  typeName: string,
  components: Components,
): JsonSchema {
  const described = Object.entries(responses).map(([status, schema], index) => {
    const name = `${typeName}Response${index === 0 ? "" : status}`;
    const others = index === 0 ? mediaTypes : [];
    const content = {
      ...json(components.refTo([schema], "output", name)),
      ...texts(others),
    };
    return [status, { description: schema.description ?? "Done", content }];
  });
  if (described.length === 0 && mediaTypes.length > 0)
    described.push(["200", { description: "Done", content: texts(mediaTypes) }]);
  return Object.fromEntries(described);
}

/** Bodies that are no JSON, by media type. */
const texts = (mediaTypes: readonly string[]) =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: { type: "string" } }]));

/** Codes that any operation may have. Those of paths and methods that do not exist are among them: proxies and wrong base URLs cause them. */
const anyCodes: readonly AppErrorCode[] = ["not_found", "method_not_allowed", "internal", "unavailable"];
/** Codes of operations with a body. */
const bodyCodes: readonly AppErrorCode[] = ["request_timeout", "body_too_large", "unsupported_media_type"];
const sharedCodes: readonly AppErrorCode[] = [...anyCodes, ...bodyCodes, "rate_limited"];

const failureHeaders: Record<number, JsonSchema> = {
  405: { Allow: { description: "the methods of this address", schema: { type: "string" } } },
  429: retryAfter("seconds after which to try again"),
  503: retryAfter("seconds after which to try again, if they are known"),
};

function retryAfter(description: string): JsonSchema {
  return { "Retry-After": { description, schema: { type: "integer" } } };
}

/** Failures by status. Those with the same status differ by their code. */
function failureResponses(codes: readonly AppErrorCode[], components: Components): JsonSchema {
  const byStatus = new Map<number, Set<AppErrorCode>>();
  for (const code of codes) {
    const { status } = errorCodes[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const content = json(components.refTo([failureSchema], "output", "Failure"));
  const described = [...byStatus].map(([status, names]) => {
    const headers = failureHeaders[status];
    const response = { description: [...names].join(", "), ...(headers && { headers }), content };
    const [code, ...others] = names;
    if (code === undefined || others.length > 0 || !sharedCodes.includes(code)) return [status, response];
    const name = code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
    components.responses[name] = response;
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return Object.fromEntries(described);
}

function json(schema: unknown): JsonSchema {
  return { "application/json": { schema } };
}

/** Leaves out rules that JSON Schema cannot express. They are checked all the same. */
function jsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema: made }) => {
      // Later versions may add members to a response.
      if (io === "output" && made.additionalProperties === false) delete made.additionalProperties;
      // Generators of clients take a member with a default for one that is always there, in requests too.
      if (io === "input" && made.default !== undefined) {
        const value = `default: ${JSON.stringify(made.default)}`;
        made.description = made.description === undefined ? value : `${made.description}; ${value}`;
        delete made.default;
      }
      // The type or format says the same.
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
      if (made.format !== undefined) delete made.pattern;
      // Not every engine of regular expressions reads Unicode classes and lookaheads.
      if (made.pattern !== undefined && /\\[pP]\{|\(\?/.test(made.pattern)) delete made.pattern;
      delete made.propertyNames;
      // It is the name of the component.
      delete made.id;
    },
  });
  return described;
}
