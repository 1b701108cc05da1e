import type { HeadersFunction, LinksFunction, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import embedStyles from "../embed/embed.css";
import { RefusedPage } from "../embed/refused-page";
import { embedPage } from "../http/embed-page.server";
import { tokenSettings } from "../http/token-settings.server";
import { Explorer } from "../services/files/explorer/explorer";
import explorerStyles from "../services/files/explorer/explorer.css";
import { openExplorer } from "../services/files/open-explorer.server";

/** `GET /embed/{service}`: the service inside an integrator's iframe, or the state that says why not. */
// Marked as pure: a call may have effects, and the compiler would keep it, empty, in the browser's bundle.
export const loader = /* @__PURE__ */ embedPage(async (embed, services) => ({
  content: await openExplorer(embed, services.objectStore, tokenSettings(services), {
    development: !services.env.production,
  }),
  storeOrigin: await services.objectStore.originOf(String(embed.payload.scope.bucket)),
}));

/** A frame is only ever fetched. */
export function action() {
  throw new Response(null, { status: 405, headers: { Allow: "GET, HEAD", "Cache-Control": "no-store" } });
}

export const headers: HeadersFunction = ({ loaderHeaders }) => loaderHeaders;

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: embedStyles },
  { rel: "stylesheet", href: explorerStyles },
];

export const meta: MetaFunction<typeof loader> = ({ data: page }) => [
  { title: page?.shown === false ? page.refused.title : "Files" },
];

export default function EmbedPage() {
  const page = useLoaderData<typeof loader>();
  if (!page.shown) return <RefusedPage nonce={page.nonce} refused={page.refused} />;
  return <Explorer {...page.content} theme={page.theme} locale={page.locale} />;
}
