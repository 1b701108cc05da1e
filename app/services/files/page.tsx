import type { EmbedHandle } from "../../embed/hydration";
import { Explorer } from "./explorer/explorer";
import stylesheet from "./explorer/explorer.css";
import type { files } from "./service.server";

export { action, default, headers, loader, meta } from "../../http/embed-page-exports";

export const handle: EmbedHandle<typeof files> = { View: Explorer, stylesheet };
