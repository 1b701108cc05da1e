/** Without a framework installed. */
import "platform-embed-element";
import type { PlatformEmbedProps } from "platform-embed-element";

const embed = document.createElement("platform-embed");
embed.scope = { bucket: "acme" };
embed.addEventListener("platform-embed-ready", ({ detail }) => detail.expiresAt.toFixed());
document.addEventListener("platform-embed-error", ({ detail }) => detail.code.length);

// @ts-expect-error: there is no such theme
embed.theme = "pink";
// @ts-expect-error: read only
embed.state = "ready";
export const props: PlatformEmbedProps = { scope: { bucket: "acme" }, "token-endpoint": "/embed-url" };
