import { css, html, LitElement, nothing } from "lit";
import { type HostMessage, parseFrameMessage } from "../protocol";

/**
 * Shows an embedded service of the platform and keeps its token fresh.
 *
 * @tag platform-embed
 */
export class PlatformEmbed extends LitElement {
  static override properties = {
    service: {},
    scope: { type: Object },
    tokenEndpoint: { attribute: "token-endpoint" },
    frameUrl: { state: true },
  };

  static override styles = css`
    :host { display: block; min-height: 320px; }
    iframe { display: block; width: 100%; height: 100%; min-height: inherit; border: 0; }
  `;

  declare service: string;
  declare scope: Record<string, unknown> | null;
  declare tokenEndpoint: string | null;
  declare frameUrl: URL | null;

  constructor() {
    super();
    this.service = "files";
    this.scope = null;
    this.tokenEndpoint = null;
    this.frameUrl = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener("message", this.#receive);
    void this.#fetchUrl("initial").then((url) => {
      if (this.isConnected) this.frameUrl = url;
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener("message", this.#receive);
    this.frameUrl = null;
  }

  override render() {
    if (!this.frameUrl) return nothing;
    return html`<iframe
      title="Embedded ${this.service}"
      src=${this.frameUrl.href}
      referrerpolicy="origin"
      sandbox="allow-scripts allow-same-origin allow-downloads allow-popups allow-popups-to-escape-sandbox allow-forms"
    ></iframe>`;
  }

  #receive = (event: MessageEvent): void => {
    const frame = this.renderRoot.querySelector("iframe");
    if (!this.frameUrl || event.source !== frame?.contentWindow || event.origin !== this.frameUrl.origin)
      return;
    const message = parseFrameMessage(event.data);
    if (message?.type === "platform.embed.token-expired" && message.service === this.service)
      void this.#renew();
  };

  async #renew(): Promise<void> {
    const url = await this.#fetchUrl("expired");
    const token = url?.searchParams.get("t");
    if (token) this.#post({ type: "platform.embed.token-refreshed", token });
    else this.#post({ type: "platform.embed.token-unavailable", retryable: true });
  }

  #post(message: HostMessage): void {
    const frame = this.renderRoot.querySelector("iframe");
    if (this.frameUrl) frame?.contentWindow?.postMessage(message, this.frameUrl.origin);
  }

  async #fetchUrl(reason: string): Promise<URL | null> {
    const response = await fetch(this.tokenEndpoint ?? "", {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ service: this.service, scope: this.scope ?? undefined, reason }),
    }).catch(() => null);
    if (!response?.ok) return null;
    const answer = (await response.json().catch(() => null)) as { url?: unknown } | null;
    return typeof answer?.url === "string" ? new URL(answer.url) : null;
  }
}

if (!customElements.get("platform-embed")) customElements.define("platform-embed", PlatformEmbed);
