import type { HeadersFunction, LinksFunction, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import embedStyles from "../embed/embed.css";
// Of the server alone: a refused page loads no script, so no browser renders it, and none has to load it.
import { RefusedPage } from "../embed/refused-page.server";
import { embedPage } from "../http/embed-page.server";
import { viewOf } from "../services/views";

/** `GET /embed/{service}`: the service inside an integrator's iframe, or the state that says why not. */
export const loader = embedPage;

/** A frame is only ever fetched. */
export function action() {
  throw new Response(null, { status: 405, headers: { Allow: "GET, HEAD", "Cache-Control": "no-store" } });
}

export const headers: HeadersFunction = ({ loaderHeaders }) => loaderHeaders;

export const links: LinksFunction = () => [{ rel: "stylesheet", href: embedStyles }];

export const meta: MetaFunction<typeof loader> = ({ data: page }) => {
  if (!page?.shown) return [{ title: page?.refused.title ?? "" }];
  const { title, styles } = viewOf(page.service);
  return [{ title }, { tagName: "link", rel: "stylesheet", href: styles }];
};

export default function EmbedPage() {
  const page = useLoaderData<typeof loader>();
  if (!page.shown) return <RefusedPage nonce={page.nonce} refused={page.refused} />;
  const { Component } = viewOf(page.service);
  return <Component {...page.frame} {...page.content} theme={page.theme} locale={page.locale} />;
}
