import type { MetaFunction } from "@remix-run/node";
import { EmbedPage, type loader, metaOf } from "../../http/embed-route";
import { Explorer } from "./explorer/explorer";
import styles from "./explorer/explorer.css";
import type { files } from "./service.server";

export { action, headers, links, loader } from "../../http/embed-route";

export const meta: MetaFunction<typeof loader> = (page) => metaOf(page, "Files", styles);

export default function FilesPage() {
  return <EmbedPage<typeof files> View={Explorer} />;
}
