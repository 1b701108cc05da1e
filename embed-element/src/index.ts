import { PlatformEmbed } from "./platform-embed";

export type { EmbedTheme } from "../protocol";
export { EmbedError, type EmbedErrorCode } from "./embed-error";
export type * from "./events";
export type { EmbedState } from "./overlay";
export type { PlatformEmbedAttributes, PlatformEmbedListeners, PlatformEmbedProps } from "./tag-types";
export type { FetchToken, TokenAnswer, TokenReason, TokenRequest } from "./token-source";
export type { EmbedTexts } from "./words";
export { PlatformEmbed };

// On a server there is a class and no tag; a page that loads this twice keeps the first.
if (globalThis.customElements && !customElements.get("platform-embed"))
  customElements.define("platform-embed", PlatformEmbed);
