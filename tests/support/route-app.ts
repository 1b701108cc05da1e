/// <reference types="vite/client" />
import type { ActionFunctionArgs } from "@remix-run/node";
import { parseEnv } from "../../app/env.server";
import { addressOf } from "../../app/http/addresses.server";
import { type AppContext, createAppContext } from "../../app/http/app-context.server";
import type { StackInfo } from "../../local/stack-info";
import { checkContract, routeNameOf } from "./check-contract";
import { deploymentEnv } from "./deployment";

type Handler = (args: ActionFunctionArgs) => Promise<unknown>;
type Route = { loader?: Handler; action?: Handler };
const routes = import.meta.glob<Route>("../../app/routes/*.{ts,tsx}");
const pages = import.meta.glob<Route>("../../app/services/*/page.tsx");

export interface RouteApp extends AppContext {
  apiBaseUrl: string;
  platformBaseUrl: string;
  /** Hands a Request to the route of its address, in this process; a page's Response is the data that it would be rendered with. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/**
 * The routes over a context of the test's own: no process is started, and nothing is shared with other tests but the stack's providers. No
 * front door is passed, so the caller's address is what `X-Forwarded-For` says.
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
      const address = addressOf(pathname);
      const [, folder, service] = pathname.split("/");
      const page = folder === "embed" ? pages[`../../app/services/${service}/page.tsx`] : undefined;
      const route = await (page?.() ?? moduleOf(address ?? "/$"));
      const handle = request.method === "GET" || request.method === "HEAD" ? route.loader : route.action;
      const params = { service, resourceId: pathname.split("/").at(-1) };
      const result = toResponse(await handle?.({ request, params, context: { app } }));
      const isJson = result.headers.get("Content-Type")?.startsWith("application/json");
      if (address?.startsWith("/api/") && isJson)
        await checkContract(request.method, address, result.clone());
      return result;
    },
    close: () => app.database.$disconnect(),
  };
}

async function moduleOf(address: string) {
  const name = routeNameOf(address);
  const load = routes[`../../app/routes/${name}.ts`] ?? routes[`../../app/routes/${name}.tsx`];
  if (load === undefined) throw new Error(`No route has the address ${address}.`);
  return load();
}

/** What Remix makes of a loader's `data(…)`. */
function toResponse(result: unknown): Response {
  if (result instanceof Response) return result;
  const { data, init } = result as { data: unknown; init: ResponseInit };
  return Response.json(data, init);
}
