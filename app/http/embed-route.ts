/**
 * What the pages of embedded services have in common. Each is a route of its own, `app/services/{key}/page.tsx`, which `remix.config.js`
 * finds in the service's folder. It calls nothing while it loads: `remix dev` would count what it calls as its loader's, and ask the server
 * for data on every change of a component.
 */
import type { HeadersFunction, MetaFunction } from "@remix-run/node";
import type { embedPage } from "./embed-page.server";

export { embedPage as loader } from "./embed-page.server";
// Of the server alone: the browser makes live what it rendered, and loads nothing else of it.
export { default } from "./embed-page-view.server";

/** A frame is only ever fetched. */
export function action() {
  throw new Response(null, { status: 405, headers: { Allow: "GET, HEAD", "Cache-Control": "no-store" } });
}

export const headers: HeadersFunction = ({ loaderHeaders }) => loaderHeaders;

/** What a `meta` makes of a page. @param title what names the title among the service's sentences, or the title itself */
export function metaOf(
  { data: page }: Parameters<MetaFunction<typeof embedPage>>[0],
  title: string,
): ReturnType<MetaFunction> {
  if (!page?.shown) return [{ title: page?.refused.title ?? "" }];
  const { [title]: sentence = title } = page.language.sentences;
  return [{ title: String(sentence) }];
}
