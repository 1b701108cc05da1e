import type { EmbedHandle } from "../../embed/hydration";
import stylesheet from "./activity.css";
import { ActivityView } from "./activity-view";
import type { activity } from "./service.server";

export { action, headers, loader } from "../../http/embed-page-exports";
export { ActivityView as default };

export const handle: EmbedHandle<typeof activity> = { View: ActivityView, stylesheet };
