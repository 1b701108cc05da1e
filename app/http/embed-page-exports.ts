/**
 * The exports that the pages of all embedded services share, all for the server. Each page is a route in its service's folder,
 * `app/services/{key}/page.tsx`, which `remix.config.js` finds. It also exports its view as `default`, because Remix takes a route without a
 * component for an endpoint; `root.tsx` renders the view. No function is called at module level: `remix dev` would take it for part of the
 * loader, and reload the data on every change of a component.
 */
import type { HeadersFunction } from "@remix-run/node";

export { embedPage as loader } from "./embed-page.server";

/** Pages only respond to GET. */
export function action() {
  throw new Response(null, { status: 405, headers: { Allow: "GET, HEAD", "Cache-Control": "no-store" } });
}

export const headers: HeadersFunction = ({ loaderHeaders }) => loaderHeaders;
