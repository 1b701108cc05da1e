import type { MetaFunction } from "@remix-run/node";
import type { EmbedHandle } from "../../embed/embed-view";
import { type loader, metaOf } from "../../http/embed-page-exports";
import stylesheet from "./activity.css";
import { ActivityView } from "./activity-view";
import type { activity } from "./service.server";

export { action, default, headers, loader } from "../../http/embed-page-exports";

export const meta: MetaFunction<typeof loader> = (page) => metaOf(page, "root");

export const handle: EmbedHandle<typeof activity> = { View: ActivityView, stylesheet };
