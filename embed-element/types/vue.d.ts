/** `<platform-embed>` in the templates of Vue, for vue-tsc and editors. */
import type { EmitFn, HTMLAttributes, PublicProps } from "vue";
import type { PlatformEmbedEventMap } from "../dist/src/events.js";
import type { PlatformEmbed } from "../dist/src/platform-embed.js";
import type { PlatformEmbedProps } from "../dist/src/tag-types.js";

/** If a tag is not a component of its own, Vue's checker reads these two members. */
interface Tag {
  new (): PlatformEmbed & {
    /** @deprecated for types only: no element has it */
    $props: PlatformEmbedProps & Omit<HTMLAttributes, keyof PlatformEmbedProps> & PublicProps;
    /** @deprecated for types only: no element has it */
    $emit: EmitFn<{
      [Type in keyof PlatformEmbedEventMap]: (event: PlatformEmbedEventMap[Type]) => void;
    }>;
  };
}

declare module "vue" {
  interface GlobalComponents {
    "platform-embed": Tag;
  }
}
