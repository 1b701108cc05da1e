/**
 * Runs while the page is read, right behind what it shows and long before the scripts that it loads. `app/http/early-script.server.ts`
 * writes it into the page, and what it has to know into its element's attributes.
 */
import type { VisibleMessage } from "../../../embed-element/protocol";
import { EarlyActions } from "./early-actions";

const { service = "", parentOrigin = "" } = document.currentScript?.dataset ?? {};
new EarlyActions();
if (window.parent !== window) {
  const message: VisibleMessage = { type: "platform.embed.visible", service };
  window.parent.postMessage(message, parentOrigin);
}
