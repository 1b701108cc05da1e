/** Without a framework installed. */
import "platform-embed-element";
import type { PlatformEmbedProps } from "platform-embed-element";

const embed = document.createElement("platform-embed");
embed.scope = { bucket: "acme" };
embed.addEventListener("platform-embed-ready", ({ detail }) => detail.expiresAt.toFixed());
embed.addEventListener("platform-embed-ended", ({ detail }) => detail.service.length);
embed.navigate("/invoices").then(() => embed.end());
embed.path = "/invoices/2026";
embed.filter = "kind=pdf";
document.addEventListener("platform-embed-error", ({ detail }) => detail.code.length);

// @ts-expect-error: there is no such theme
embed.theme = "pink";
// @ts-expect-error: a path is a text
embed.navigate(2026);
// @ts-expect-error: read only
embed.state = "ready";
export const props: PlatformEmbedProps = { scope: { bucket: "acme" }, "token-endpoint": "/embed-url" };
