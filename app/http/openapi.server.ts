import { z } from "zod";
import { type AppErrorCode, errorCodes } from "../app-error";
import { campaignJobSchema } from "../campaigns/campaign-job.server";
import { createClusterDatabaseSchema } from "../databases/create-cluster-database.server";
import { listClusterDatabasesSchema } from "../databases/find-cluster-databases.server";
import { simpleEmailSchema } from "../email/simple-email.server";
import { filesRequestSchema } from "../embed/issue-embed-url.server";
import type { StoreProblem } from "../providers/object-store.server";
import {
  diagnoseSchema,
  downloadByFolderSchema,
  downloadByKeySchema,
  listSchema,
  presignUploadSchema,
} from "../services/files/storage-requests.server";

/**
 * The OpenAPI 3.1 description of every address that answers JSON, for clients that are generated and for people who would
 * rather read that. Request shapes are the schemas that judge requests, so they cannot drift apart.
 */
export function describeApi({
  apiBaseUrl,
  platformBaseUrl,
}: {
  apiBaseUrl: string;
  platformBaseUrl: string;
}) {
  const api = [{ url: apiBaseUrl, description: "for integrators' backends" }];
  const platform = [{ url: platformBaseUrl, description: "for browsers" }];
  return {
    openapi: "3.1.0",
    info: {
      title: "Platform Embed",
      version: "1",
      description: "Embedded files, themed e-mail and cluster databases.",
    },
    servers: api,
    paths: {
      "/api/embed/url": {
        post: operation("Issue a signed embed URL", {
          security: [{ apiKey: [] }],
          body: filesRequestSchema,
          answer: record({ url: text, expiresAt: unixSeconds, service: text }),
          failures: ["invalid_api_key", "service_not_allowed", "service_not_enabled", "scope_not_allowed"],
        }),
      },
      "/api/send-simple-email": {
        post: operation("Send a themed e-mail, one message to each recipient", {
          security: bearer,
          body: simpleEmailSchema,
          answer: record({ success: { type: "boolean" }, results: list(sentResult) }),
          failures: ["invalid_bearer_token", "provider_failed", "unavailable"],
        }),
      },
      "/api/cluster/databases": {
        get: operation("List a company's databases, newest first", {
          security: bearer,
          query: listClusterDatabasesSchema,
          answer: record({ databases: list(resource) }),
          failures: ["invalid_bearer_token", "company_not_found"],
        }),
        post: operation("Create a database, or finish one that was left half made", {
          security: bearer,
          body: createClusterDatabaseSchema,
          status: 201,
          answer: record({
            success: { const: true },
            resource: record({ id: text, name: text, region: text, status: statusOfResource }),
            note: text,
          }),
          failures: [
            "invalid_bearer_token",
            "company_not_found",
            "name_taken",
            "provider_failed",
            "unavailable",
          ],
        }),
      },
      "/api/cluster/databases/{resourceId}": {
        get: operation("Get one database", {
          security: bearer,
          path: ["resourceId"],
          answer: resource,
          failures: ["invalid_bearer_token", "not_found"],
        }),
      },
      "/api/queue/send-email": {
        post: operation("Receive a queued e-mail job; the queue signs it", {
          security: [{ queueSignature: [] }],
          body: campaignJobSchema,
          answer: record({ success: { const: true }, messageId: text, duplicate: { type: "boolean" } }),
          failures: ["invalid_signature", "job_refused", "provider_failed", "unavailable"],
        }),
      },
      "/api/embed/storage/list": {
        servers: platform,
        post: operation("List one page of a folder", {
          body: listSchema,
          answer: record({
            folders: list(record({ name: text, path: text })),
            files: list(record({ name: text, key: text, size: bytes, lastModified: dateTime, etag: text })),
            nextCursor: { type: ["string", "null"] },
          }),
          failures: [...tokenFailures, "bucket_not_found", "provider_failed", "unavailable"],
        }),
      },
      "/api/embed/storage/presign-upload": {
        servers: platform,
        post: operation("Presign one upload", {
          body: presignUploadSchema,
          answer: presigned("PUT", { headers: { type: "object", additionalProperties: text } }),
          failures: tokenFailures,
        }),
      },
      "/api/embed/storage/presign-download": {
        servers: platform,
        post: operation("Presign one download", {
          body: z.union([downloadByKeySchema, downloadByFolderSchema]),
          answer: presigned("GET"),
          failures: tokenFailures,
        }),
      },
      "/api/embed/storage/diagnose": {
        servers: platform,
        post: operation("Find out why a browser could not reach the object store", {
          body: diagnoseSchema,
          answer: record({ problem: storeProblem }),
          failures: tokenFailures,
        }),
      },
    },
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-Api-Key" },
        bearerToken: { type: "http", scheme: "bearer" },
        queueSignature: { type: "apiKey", in: "header", name: "Queue-Signature" },
      },
      schemas: {
        Failure: {
          ...record({ error: text }),
          properties: {
            error: { ...text, description: "a sentence for a person" },
            code: { ...text, description: "for a program; stable" },
            issues: list(record({ path: text, message: text })),
          },
        },
      },
    },
  };
}

type JsonSchema = Record<string, unknown>;

const text: JsonSchema = { type: "string" };
const bytes: JsonSchema = { type: "integer", minimum: 0, description: "bytes" };
const unixSeconds: JsonSchema = { type: "integer", description: "unix seconds" };
const dateTime: JsonSchema = { type: "string", format: "date-time" };
const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });
const record = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});
const orNull = (type: string): JsonSchema => ({ type: [type, "null"] });

const statusOfResource: JsonSchema = { enum: ["pending", "active", "suspended", "deleted"] };
const resource = record({
  id: text,
  companyId: text,
  resourceType: text,
  name: text,
  region: text,
  status: statusOfResource,
  externalId: orNull("string"),
  clusterRef: orNull("string"),
  maxCapacityAcu: orNull("integer"),
  currentUsageAcu: orNull("integer"),
  storageBytes: orNull("integer"),
  metadata: { type: "object" },
  createdAt: dateTime,
  updatedAt: dateTime,
});
const sentResult: JsonSchema = {
  oneOf: [record({ to: text, messageId: text }), record({ to: text, error: text })],
};
const storeProblem: JsonSchema = {
  enum: [
    null,
    "store_unreachable",
    "store_busy",
    "store_refused",
    "bucket_not_found",
    "clock_skewed",
    "cors_missing",
  ] satisfies (StoreProblem | null)[],
  description: "null: the store is in order, and something between it and the browser is not",
};
const presigned = (method: string, more: Record<string, JsonSchema> = {}): JsonSchema =>
  record({ url: text, method: { const: method }, ...more, bucket: text, key: text, expiresAt: unixSeconds });

const bearer = [{ bearerToken: [] }];
const tokenFailures: AppErrorCode[] = ["invalid_token", "token_expired", "scope_not_allowed"];

interface OperationParts {
  security?: Record<string, never[]>[];
  path?: string[];
  query?: z.ZodObject;
  body?: z.ZodType;
  status?: number;
  answer: JsonSchema;
  failures: AppErrorCode[];
}

function operation(summary: string, parts: OperationParts): JsonSchema {
  const { security, path = [], query, body, status = 200, answer, failures } = parts;
  const parameters = [
    ...path.map((name) => ({ name, in: "path", required: true, schema: text })),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
      name,
      in: "query",
      required: !schema.safeParse(undefined).success,
      schema: jsonSchema(schema),
    })),
  ];
  return {
    summary,
    ...(security ? { security } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: true, content: { "application/json": { schema: jsonSchema(body) } } } }
      : {}),
    responses: {
      [status]: { description: "Done", content: { "application/json": { schema: answer } } },
      ...failureResponses(body || query ? ["invalid_request", ...failures] : failures),
    },
  };
}

/** Failures by status: those that share one are told apart by their code. */
function failureResponses(codes: AppErrorCode[]): JsonSchema {
  const byStatus = new Map<number, AppErrorCode[]>();
  for (const code of codes) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } };
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [status, { description: names.join(", "), content }]),
  );
}

/** What a request may hold: rules that JSON Schema has no word for are left out, and still hold. */
function jsonSchema(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return described;
}
