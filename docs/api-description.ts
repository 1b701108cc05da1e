/** The OpenAPI description of the API, with the recorded examples of docs/reference/examples. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parseEnv } from "../app/env/env.server";
import { contracts } from "../app/http/api-route.server";
import { createAppContext } from "../app/http/app-context.server";
import { describeApi } from "../app/http/openapi.server";

export const API_BASE_URL = "https://api.embed.example.com";
export const PLATFORM_BASE_URL = "https://embed.example.com";

/** A request and its response. tests/integration/api-examples.test.ts records them. */
export interface Example {
  /** parameters of path, query and headers, by name */
  parameters?: Record<string, string>;
  body?: unknown;
  status: number;
  /** parsed, if it is JSON */
  response: unknown;
}

/** The members of an operation that are used here. */
interface Operation {
  operationId: string;
  parameters?: { name: string; schema: { type?: string }; example?: string | number }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}
interface Content {
  content?: Record<string, { example?: unknown }>;
}

// Each route declares its endpoints when it is imported.
const routes = new URL("../app/routes/", import.meta.url);
for (const file of readdirSync(routes)) if (file.endsWith(".ts")) await import(new URL(file, routes).href);

/** Nothing connects to these addresses: the description does not need them. */
const env = parseEnv({
  NODE_ENV: "development",
  API_BASE_URL,
  PLATFORM_BASE_URL,
  POSTGRES_URL: "postgresql://localhost/none",
  EMBED_SIGNING_SECRET: "the description is the same whatever signs",
  CLOUD_REGION: "us-east-1",
  CLOUD_ACCESS_KEY_ID: "none",
  CLOUD_SECRET_ACCESS_KEY: "none",
});

export const examplesFolder = new URL("reference/examples/", import.meta.url);

/** The example of an operation, or undefined if none has been recorded. */
export function exampleOf(operationId: string): Example | undefined {
  const file = new URL(`${operationId}.json`, examplesFolder);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

export function describeApiWithExamples() {
  const description = describeApi(contracts, createAppContext(env));
  for (const { servers: _, ...methods } of Object.values(description.paths)) {
    for (const operation of Object.values(methods)) addExample(operation as Operation);
  }
  return description;
}

function addExample(operation: Operation): void {
  const example = exampleOf(operation.operationId);
  if (!example) return;
  const { parameters = {}, body, status, response } = example;
  for (const parameter of operation.parameters ?? []) {
    const value = parameters[parameter.name];
    if (value !== undefined) parameter.example = parameter.schema.type === "integer" ? Number(value) : value;
  }
  setExample(operation.requestBody, body);
  setExample(operation.responses[status], response);
}

/** The first media type is the one of the example. */
function setExample(message: Content | undefined, value: unknown): void {
  const [content] = Object.values(message?.content ?? {});
  if (content && value !== undefined) content.example = value;
}
