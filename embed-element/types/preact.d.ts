/** `<platform-embed>` in the JSX of Preact. */
import type { JSX, Ref } from "preact";
import type { PlatformEmbed } from "../dist/src/platform-embed.js";
import type { PlatformEmbedListeners, PlatformEmbedProps } from "../dist/src/tag-types.js";

interface Own extends PlatformEmbedProps, PlatformEmbedListeners<"on"> {
  ref?: Ref<PlatformEmbed> | undefined;
}

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      // What any element takes: Preact 10 and 11 have the name of it in different places.
      "platform-embed": Omit<JSX.IntrinsicElements["div"], keyof Own> & Own;
    }
  }
}
