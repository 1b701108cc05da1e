import { isServer } from "lit";
import { PlatformEmbed } from "./platform-embed.js";

// A page that loads this twice keeps the first definition. On a server the tag stays undefined: nothing renders there.
if (!isServer && !customElements.get("platform-embed"))
  customElements.define("platform-embed", PlatformEmbed);
