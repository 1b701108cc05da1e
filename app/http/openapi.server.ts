import { z } from "zod";
import { type AppErrorCode, errorCodes } from "../shared/app-error";
import type { RouteContract } from "./api-route.server";
import type { AppContext } from "./app-context.server";
import type { Endpoint } from "./endpoint.server";

type JsonSchema = Record<string, unknown>;

/**
 * The OpenAPI 3.1 description of the API. It is made from the declarations that also validate requests and
 * shape responses.
 */
export function describeApi(contracts: readonly RouteContract[], app: AppContext) {
  const { apiBaseUrl, platformBaseUrl } = app.env;
  const platform = { servers: [{ url: platformBaseUrl, description: "for browsers" }] };
  const described = contracts.filter(isDescribed).sort((one, other) => (one.route < other.route ? -1 : 1));
  const paths = described.map(({ route, role, methods }) => {
    const operations = Object.entries(methods).map(([method, endpoint]) => [
      method.toLowerCase(),
      describeOperation(endpoint, app),
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
    paths: Object.fromEntries(paths) as Record<string, JsonSchema>,
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-Api-Key" },
        bearerToken: { type: "http", scheme: "bearer" },
        queueSignature: { type: "apiKey", in: "header", name: "Queue-Signature" },
        // OpenAPI cannot describe a signature in the body. Amazon names the type of its messages in this header.
        snsSignature: { type: "apiKey", in: "header", name: "x-amz-sns-message-type" },
      },
      schemas: { Failure: jsonSchema(failureSchema, "output") },
    },
  };
}

/** The body of every failure: `error` is a sentence for people, `code` is stable and for programs. */
export const failureSchema = z.object({
  error: z.string().describe("a sentence for a person"),
  code: z.string().describe("for a program; stable").optional(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** Endpoints of the API; not pages, health checks and this description. */
const isDescribed = ({ route, methods }: RouteContract) =>
  route.startsWith("/api/") &&
  Object.values(methods).some(({ responses }) => Object.keys(responses).length > 0);

function describeOperation(endpoint: Endpoint, app: AppContext): JsonSchema {
  const { summary, auth, headers, params, query, responses, errors } = endpoint;
  const bodies = endpoint.bodies(app);
  const parameters = [
    ...parametersOf(params, "path"),
    ...parametersOf(query, "query"),
    ...parametersOf(headers, "header"),
  ];
  const schemas = bodies.map((body) => jsonSchema(body, "input"));
  const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  const takesInput = bodies.length > 0 || query !== undefined;
  const codes: AppErrorCode[] = [
    ...(takesInput ? (["invalid_request"] as const) : []),
    ...(auth?.errors ?? []),
    ...errors,
  ];
  return {
    summary,
    ...(auth?.scheme ? { security: [{ [auth.scheme]: [] }] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(bodies.length > 0 ? { requestBody: { required: true, content: json(schema) } } : {}),
    responses: { ...failureResponses(codes), ...resultResponses(responses) },
  };
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
    schema: described,
  }));
}

function resultResponses(responses: Endpoint["responses"]): JsonSchema {
  const described = Object.entries(responses).map(([status, schema]) => [
    status,
    { description: schema.description ?? "Done", content: json(jsonSchema(schema, "output")) },
  ]);
  return Object.fromEntries(described);
}

/** Failures by status. Those with the same status differ by their code. */
function failureResponses(codes: readonly AppErrorCode[]): JsonSchema {
  const byStatus = new Map<number, Set<AppErrorCode>>();
  for (const code of codes) {
    const { status } = errorCodes[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const content = json({ $ref: "#/components/schemas/Failure" });
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [status, { description: [...names].join(", "), content }]),
  );
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
      // The type or format says the same.
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
      if (made.format !== undefined) delete made.pattern;
      delete made.propertyNames;
    },
  });
  return described;
}
