import type { MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { RefusedPage } from "../embed/refused-page.server";
import type { refusedEmbedPage } from "./embed-page.server";

export { refusedEmbedPage as loader } from "./embed-page.server";
export { action, headers } from "./embed-route";

export const meta: MetaFunction<typeof refusedEmbedPage> = ({ data: page }) => [
  { title: page?.refused.title ?? "" },
];

export default function RefusedEmbedPage() {
  return <RefusedPage {...useLoaderData<typeof refusedEmbedPage>()} />;
}
