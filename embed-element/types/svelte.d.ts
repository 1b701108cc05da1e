/** `<platform-embed>` in the templates of Svelte: `onplatform-embed-ready` in Svelte 5, `on:platform-embed-ready` in Svelte 4. */
import type { HTMLAttributes } from "svelte/elements";
import type { PlatformEmbed } from "../dist/src/platform-embed.js";
import type { PlatformEmbedListeners, PlatformEmbedProps } from "../dist/src/tag-types.js";

type Own = PlatformEmbedProps & PlatformEmbedListeners<"on"> & PlatformEmbedListeners<"on:">;

declare module "svelte/elements" {
  interface SvelteHTMLElements {
    "platform-embed": Omit<HTMLAttributes<PlatformEmbed>, keyof Own> & Own;
  }
}
