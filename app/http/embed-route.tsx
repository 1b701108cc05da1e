/**
 * What the pages of embedded services have in common. Each is a route of its own, `app/services/{key}/page.tsx`, which `remix.config.js`
 * finds in the service's folder. It calls nothing while it loads: `remix dev` would count what it calls as its loader's, and ask the server
 * for data on every change of a component.
 */
import type { HeadersFunction, LinksFunction, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { ComponentType } from "react";
import embedStyles from "../embed/embed.css";
import type { FrameProps } from "../embed/frame/frame-props";
// Of the server alone: a refused page loads no script, so no browser renders it, and none has to load it.
import { RefusedPage } from "../embed/refused-page.server";
import type { AnyService, ContentOf, EmbedService } from "../embed/service";
import type { embedPage } from "./embed-page.server";

export { embedPage as loader } from "./embed-page.server";

/** A frame is only ever fetched. */
export function action() {
  throw new Response(null, { status: 405, headers: { Allow: "GET, HEAD", "Cache-Control": "no-store" } });
}

export const headers: HeadersFunction = ({ loaderHeaders }) => loaderHeaders;

export const links: LinksFunction = () => [{ rel: "stylesheet", href: embedStyles }];

/** What a `meta` makes of a page. @param styles address of the service's own style sheet, which a refused page does without */
export function metaOf(
  { data: page }: Parameters<MetaFunction<typeof embedPage>>[0],
  title: string,
  styles: string,
): ReturnType<MetaFunction> {
  if (!page?.shown) return [{ title: page?.refused.title ?? "" }];
  return [{ title }, { tagName: "link", rel: "stylesheet", href: styles }];
}

interface EmbedPageProps<Service extends AnyService> {
  View: ComponentType<FrameProps & ContentOf<Service>>;
}

/**
 * The page of `Service`, whose type has to be named: what its `load` returned, and what every frame gets, are the props of `View`. Where
 * the service may not be shown, the page says why.
 */
export function EmbedPage<Service extends AnyService = EmbedService>({ View }: EmbedPageProps<Service>) {
  const page = useLoaderData<typeof embedPage>();
  if (!page.shown) return <RefusedPage nonce={page.nonce} refused={page.refused} />;
  // The loader has asked the service of this address, in whose folder the page is.
  const content = page.content as ContentOf<Service>;
  return <View {...page.frame} {...content} theme={page.theme} locale={page.locale} />;
}
