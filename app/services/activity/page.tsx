import type { EmbedHandle } from "../../embed/hydration";
import stylesheet from "./activity.css";
import { ActivityView } from "./activity-view";
import type { activity } from "./service.server";

export { action, default, headers, loader, meta } from "../../http/embed-page-exports";

export const handle: EmbedHandle<typeof activity> = { View: ActivityView, stylesheet };
