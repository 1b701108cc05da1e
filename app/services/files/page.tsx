import type { MetaFunction } from "@remix-run/node";
import type { EmbedHandle } from "../../embed/embed-view";
import { type loader, metaOf } from "../../http/embed-page-exports";
import { Explorer } from "./explorer/explorer";
import stylesheet from "./explorer/explorer.css";
import type { files } from "./service.server";

export { action, default, headers, loader } from "../../http/embed-page-exports";

export const meta: MetaFunction<typeof loader> = (page) => metaOf(page, "root");

export const handle: EmbedHandle<typeof files> = { View: Explorer, stylesheet };
