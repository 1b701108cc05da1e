/**
 * Runs while the page is read, right behind what it shows and long before the scripts that it loads. `app/http/early-script.server.ts`
 * writes it into the page, and what it has to know into its element's attributes.
 */
import type { VisibleMessage } from "../../../embed-element/protocol";
import { EarlyActions } from "./early-actions";
import { keptPlace } from "./kept-place";

const { service = "", parentOrigin = "", placeKey = "" } = document.currentScript?.dataset ?? {};
new EarlyActions();
// Somebody who was elsewhere is led back there by the scripts: what is here now is not what they want to see.
if (window.parent !== window && keptPlace(placeKey) === null) {
  const message: VisibleMessage = { type: "platform.embed.visible", service };
  window.parent.postMessage(message, parentOrigin);
}
