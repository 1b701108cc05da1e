/** `<platform-embed>` in the JSX of React. React 18 sets attributes and nothing else; React 19 also sets properties and listens. */
import type * as React from "react";
import type { PlatformEmbed } from "../dist/src/platform-embed.js";
import type {
  PlatformEmbedAttributes,
  PlatformEmbedListeners,
  PlatformEmbedProps,
} from "../dist/src/tag-types.js";

/** React 19 and its canaries are those with `use`. */
type Own = "use" extends keyof typeof React
  ? PlatformEmbedProps & PlatformEmbedListeners<"on">
  : PlatformEmbedAttributes & Deaf & { class?: string | undefined };

/** A name with a hyphen may have any value in JSX, unless it is declared. */
type Deaf = { [Name in keyof PlatformEmbedListeners<"on">]?: undefined };

type Tag = Omit<React.HTMLAttributes<PlatformEmbed>, keyof Own> & React.RefAttributes<PlatformEmbed> & Own;

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "platform-embed": Tag;
    }
  }
}
