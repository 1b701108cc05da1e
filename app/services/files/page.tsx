import type { EmbedHandle } from "../../embed/hydration";
import { Explorer } from "./explorer/explorer";
import stylesheet from "./explorer/explorer.css";
import type { files } from "./service.server";

export { action, headers, loader } from "../../http/embed-page-exports";
export { Explorer as default };

export const handle: EmbedHandle<typeof files> = { View: Explorer, stylesheet };
