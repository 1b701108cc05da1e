/** `<platform-embed>` in the JSX of Solid. */
import type { JSX } from "solid-js";
import type { PlatformEmbed } from "../dist/src/platform-embed.js";
import type { PlatformEmbedListeners, PlatformEmbedProps } from "../dist/src/tag-types.js";

type Own = PlatformEmbedProps & PlatformEmbedListeners<"on:">;

declare module "solid-js" {
  namespace JSX {
    interface IntrinsicElements {
      "platform-embed": Omit<JSX.HTMLAttributes<PlatformEmbed>, keyof Own> & Own;
    }
  }
}
