import type { EmbedHandle } from "../../../embed/embed-view";
import stylesheet from "./drop.css";
import { DropPage } from "./drop-page";
import type { dropView } from "./drop-view.server";

export const handle: EmbedHandle<typeof dropView> = { View: DropPage, stylesheet };
