import { type FrameMessage, type HostMessage, parseHostMessage } from "../../../embed-element/protocol";
import type { FrameProps } from "./frame-props";

/** The page that embeds the frame. Messages go to its exact origin, and are accepted from the token's origins only. */
export class EmbeddingPage {
  constructor(private readonly origins: Pick<FrameProps, "embeddingOrigin" | "allowedOrigins">) {}

  /** Does nothing when the frame was opened on its own. */
  post(message: FrameMessage): void {
    if (window.parent !== window) window.parent.postMessage(message, this.origins.embeddingOrigin);
  }

  /** Calls `onMessage` with each valid message of the embedding page; the returned function stops it. */
  listen(onMessage: (message: HostMessage) => void): () => void {
    const onEvent = (event: MessageEvent) => {
      if (window.parent === window || event.source !== window.parent) return;
      if (!this.origins.allowedOrigins.includes(event.origin)) return;
      const message = parseHostMessage(event.data);
      if (message !== null) onMessage(message);
    };
    window.addEventListener("message", onEvent);
    return () => window.removeEventListener("message", onEvent);
  }
}
