import type { MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { RefusedPage } from "../embed/refused-page.server";
import type { refusedEmbedPage } from "../http/embed-page.server";

export { refusedEmbedPage as loader } from "../http/embed-page.server";
export { action, headers } from "../http/embed-page-exports";

export const meta: MetaFunction<typeof refusedEmbedPage> = ({ data: page }) => [
  { title: page?.refused.title ?? "" },
];

/**
 * `GET /embed/{service}` for a service without a page: says why it is not shown. A service's page is a route of its own,
 * `app/services/{service}/page.tsx`. A refused page loads no script, so this is rendered on the server only.
 */
export default function RefusedEmbedPage() {
  return <RefusedPage {...useLoaderData<typeof refusedEmbedPage>()} />;
}
