/**
 * The exports that the pages of all embedded services share. Each page is a route in its service's folder,
 * `app/services/{key}/page.tsx`, which `remix.config.js` finds. No function is called at module level: `remix dev`
 * would take it for part of the loader, and reload the data on every change of a component.
 */
import type { HeadersFunction, MetaFunction } from "@remix-run/node";
import type { embedPage } from "./embed-page.server";

export { embedPage as loader } from "./embed-page.server";
// On the server only: the browser hydrates the view that this renders.
export { default } from "./embed-page-view.server";

/** Pages only respond to GET. */
export function action() {
  throw new Response(null, { status: 405, headers: { Allow: "GET, HEAD", "Cache-Control": "no-store" } });
}

export const headers: HeadersFunction = ({ loaderHeaders }) => loaderHeaders;

/** The title: the sentence `root` of the service's messages, or why the page is refused. */
export const meta: MetaFunction<typeof embedPage> = ({ data: page }) => {
  if (!page?.shown) return [{ title: page?.refused.title ?? "" }];
  return [{ title: String(page.language.sentences.root ?? page.service) }];
};
