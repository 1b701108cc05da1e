/// <reference types="vite/client" />
import type { ActionFunctionArgs } from "@remix-run/node";
import { parseEnv } from "../../../app/env/env.server";
import { type AppContext, createAppContext } from "../../../app/http/app-context.server";
import { declareRoute, routeOf } from "../../../app/http/route-table.server";
import type { StackInfo } from "../../../local/stack-info";
import { checkContract } from "../vitest/check-contract";
import { deploymentEnv } from "./deployment";
import { routeOfFile } from "./route-files";

type Handler = (args: ActionFunctionArgs) => Promise<unknown>;
type Route = { loader?: Handler; action?: Handler };
const routes = import.meta.glob<Route>("../../../app/routes/*.{ts,tsx}");
const routeModules = new Map(Object.entries(routes).map(([file, load]) => [routeOfFile(file), load]));
for (const route of routeModules.keys()) declareRoute(route);
const pages = import.meta.glob<Route>("../../../app/services/*/page.tsx");

export interface RouteApp extends AppContext {
  apiBaseUrl: string;
  platformBaseUrl: string;
  /** Passes a Request to its route in this process. The Response of a page is its loader data. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Creates the app's routes with the test's own context. It starts no process and shares only the stack's providers with other
 * tests. Requests do not pass the server's middleware, so the caller's address and the request's id are those of the headers.
 */
export function createRouteApp(stack: StackInfo, settings: Record<string, string> = {}): RouteApp {
  const env = parseEnv({ ...deploymentEnv(stack, stack.postgresUrl), ...settings });
  const app = createAppContext(env);
  return {
    ...app,
    apiBaseUrl: env.apiBaseUrl,
    platformBaseUrl: env.platformBaseUrl,
    async fetch(url, init) {
      const request = new Request(url, init);
      const { host, pathname } = new URL(url);
      request.headers.set("Host", host);
      const route = routeOf(pathname);
      const segments = pathname.split("/");
      const [, folder, service] = segments;
      const page = folder === "embed" ? pages[`../../../app/services/${service}/page.tsx`] : undefined;
      const handlers = await (page?.() ?? moduleOf(route ?? "/$"));
      const handle =
        request.method === "GET" || request.method === "HEAD" ? handlers.loader : handlers.action;
      const names = (route ?? "").split("/").entries();
      // The pages of services have fixed routes, so Remix passes them no parameters.
      const params = page
        ? {}
        : Object.fromEntries(
            [...names].flatMap(([index, name]) =>
              name.startsWith(":") ? [[name.slice(1), segments[index]]] : [],
            ),
          );
      const result = toResponse(await handle?.({ request, params, context: { app, ...knownOf(request) } }));
      const isJson = result.headers.get("Content-Type")?.startsWith("application/json");
      if (route?.startsWith("/api/") && isJson) await checkContract(request.method, route, result.clone());
      return result;
    },
    close: async () => void (await Promise.all([app.database.$disconnect(), app.markdown.close()])),
  };
}

function knownOf({ headers }: Request) {
  const [requestId, callerAddress] = [headers.get("X-Request-Id"), headers.get("X-Forwarded-For")];
  return { ...(requestId && { requestId }), ...(callerAddress && { callerAddress }) };
}

async function moduleOf(route: string) {
  const load = routeModules.get(route);
  if (load === undefined) throw new Error(`There is no route ${route}.`);
  return load();
}

/** Turns a loader's `data(…)` into a Response, as Remix does. */
function toResponse(result: unknown): Response {
  if (result instanceof Response) return result;
  const { data, init } = result as { data: unknown; init: ResponseInit };
  return Response.json(data, init);
}
