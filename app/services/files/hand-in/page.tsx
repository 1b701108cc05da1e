import type { EmbedHandle } from "../../../embed/hydration";
import stylesheet from "./hand-in.css";
import { HandInPage } from "./hand-in-page";
import type { handInView } from "./hand-in-view.server";

export const handle: EmbedHandle<typeof handInView> = { View: HandInPage, stylesheet };
