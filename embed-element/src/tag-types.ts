/** The attributes, properties and listeners of `<platform-embed>` in templates. The files in `types/` declare them for each framework. */

import type { EmbedAppearance, FileAction } from "../protocol.js";
import type { PlatformEmbedEventMap } from "./events.js";
import type { EmbedTexts } from "./messages.js";
import type { PlatformEmbed } from "./platform-embed.js";
import type { FetchToken } from "./request-token.js";

/** Attributes as in HTML; `scope` is JSON. */
export interface PlatformEmbedAttributes {
  service?: string | undefined;
  scope?: string | undefined;
  "token-endpoint"?: string | undefined;
  src?: string | undefined;
  path?: string | undefined;
  filter?: string | undefined;
  theme?: PlatformEmbed["theme"] | undefined;
  locale?: string | undefined;
  height?: PlatformEmbed["height"] | undefined;
  "frame-title"?: string | undefined;
  loading?: PlatformEmbed["loading"] | undefined;
  picker?: PlatformEmbed["picker"] | undefined;
  accept?: string | undefined;
}

/** Attributes and properties, for frameworks that set a property if the element has one. */
export interface PlatformEmbedProps extends Omit<PlatformEmbedAttributes, "scope"> {
  /** an object, or its JSON */
  scope?: object | string | null | undefined;
  tokenEndpoint?: string | null | undefined;
  fetchToken?: FetchToken | null | undefined;
  appearance?: EmbedAppearance | null | undefined;
  texts?: EmbedTexts | null | undefined;
  fileActions?: FileAction[] | null | undefined;
  frameTitle?: string | null | undefined;
}

/** A listener for each event; its name is `Prefix` and the event's name. */
export type PlatformEmbedListeners<Prefix extends string> = {
  [Type in keyof PlatformEmbedEventMap as `${Prefix}${Type}`]?:
    | ((event: PlatformEmbedEventMap[Type]) => void)
    | undefined;
};
