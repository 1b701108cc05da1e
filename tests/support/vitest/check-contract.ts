/// <reference types="vite/client" />
/**
 * A setup file that checks every JSON response of the app against the contract of its endpoint. An undeclared status, member or error code
 * fails the test that received it.
 */
import { isDeepStrictEqual } from "node:util";
import { afterAll } from "vitest";
import type { RouteContract } from "../../../app/http/api-route.server";
import { failureSchema } from "../../../app/http/openapi.server";
import { declareRoute, routeOf } from "../../../app/http/route-table.server";
import { errorCodes } from "../../../app/shared/app-error";
import { routeOfFile } from "../app/route-files";

const routes = import.meta.glob<{ contract?: RouteContract }>("../../../app/routes/*.ts");
const routeModules = new Map(Object.entries(routes).map(([file, load]) => [routeOfFile(file), load]));
// The modules are imported when they are needed.
for (const route of routeModules.keys()) declareRoute(route);

/** Error codes that every endpoint may return. */
const common: string[] = [
  "invalid_request",
  "not_found",
  "method_not_allowed",
  "request_timeout",
  "body_too_large",
  "unsupported_media_type",
  "rate_limited",
  "internal",
  "unavailable",
];

const realFetch = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const response = await realFetch(input, init);
  const method = init?.method ?? (input instanceof Request ? input.method : "GET");
  // The check reads a copy, so that the test can still read the body.
  const route = routeOf(new URL(response.url).pathname);
  if (route !== undefined && response.headers.has("X-Request-Id") && isJson(response)) {
    await checkContract(method, route, response.clone());
  }
  return response;
};
// A worker runs this file for each test file: otherwise the tenth one would check each response ten times.
afterAll(() => {
  globalThis.fetch = realFetch;
});

function isJson(response: Response): boolean {
  return response.headers.get("Content-Type")?.startsWith("application/json") === true;
}

/** Reads the body of `response`. @throws Error if it does not match the endpoint's declaration */
export async function checkContract(method: string, route: string, response: Response): Promise<void> {
  if (method === "HEAD") return;
  const contract = await contractOf(route);
  const endpoint = contract?.methods[method as keyof RouteContract["methods"]];
  const what = `${method} ${route} responded with ${response.status}`;
  const body: unknown = await response.json();
  const declared = endpoint?.responses[response.status];
  if (declared !== undefined) {
    const parsed = declared.safeParse(body);
    if (!parsed.success) throw new Error(`${what}, which is not what it declares: ${parsed.error.message}`);
    if (!isDeepStrictEqual(parsed.data, body)) {
      throw new Error(`${what} and members that it does not declare: ${JSON.stringify(body)}`);
    }
    return;
  }
  const failure = failureSchema.strict().safeParse(body);
  if (!failure.success) throw new Error(`${what}, which it does not declare: ${JSON.stringify(body)}`);
  const { code } = failure.data;
  const codes = [...common, ...(endpoint?.auth?.errors ?? []), ...(endpoint?.errors ?? [])];
  const allowed = codes.filter(
    (name) => errorCodes[name as keyof typeof errorCodes].status === response.status,
  );
  // This body has no code (docs/contract.md).
  if (isDeepStrictEqual(body, { error: "Resource not found" })) return;
  if (code === undefined || !allowed.includes(code)) {
    throw new Error(`${what} and the code ${code}, which it does not declare.`);
  }
}

async function contractOf(route: string): Promise<RouteContract | undefined> {
  return (await routeModules.get(route)?.())?.contract;
}
