/** What `<platform-embed>` takes in the templates of frameworks; `types/` gives it to each of them in that framework's way. */

import type { EmbedAppearance } from "../protocol";
import type { PlatformEmbedEventMap } from "./events";
import type { PlatformEmbed } from "./platform-embed";
import type { FetchToken } from "./token-source";
import type { EmbedTexts } from "./words";

/** The attributes, as HTML has them: `scope` is JSON. */
export interface PlatformEmbedAttributes {
  service?: string | undefined;
  scope?: string | undefined;
  "token-endpoint"?: string | undefined;
  src?: string | undefined;
  path?: string | undefined;
  theme?: PlatformEmbed["theme"] | undefined;
  locale?: string | undefined;
  height?: PlatformEmbed["height"] | undefined;
  "frame-title"?: string | undefined;
  loading?: PlatformEmbed["loading"] | undefined;
}

/** Attributes and properties, for frameworks that set a property where the element has one. */
export interface PlatformEmbedProps extends Omit<PlatformEmbedAttributes, "scope"> {
  /** an object, or its JSON */
  scope?: object | string | null | undefined;
  tokenEndpoint?: string | null | undefined;
  fetchToken?: FetchToken | null | undefined;
  appearance?: EmbedAppearance | null | undefined;
  texts?: EmbedTexts | null | undefined;
  frameTitle?: string | null | undefined;
}

/** A listener for each event, with `Prefix` before the event's name. */
export type PlatformEmbedListeners<Prefix extends string> = {
  [Type in keyof PlatformEmbedEventMap as `${Prefix}${Type}`]?:
    | ((event: PlatformEmbedEventMap[Type]) => void)
    | undefined;
};
