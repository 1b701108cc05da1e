/* In one file, because the class with its doc comments is the API that the README and the manifest are made from. */

import type { ConfigureMessage, EmbedAppearance } from "../protocol";
import { EmbedError } from "./embed-error";
import { EmbedFrame } from "./embed-frame";
import type { Emit, ReadyDetail } from "./events";
import { createIframe } from "./iframe";
import { type EmbedState, Overlay } from "./overlay";
import { type ChangedProperties, ReactiveElement } from "./reactive-element";
import { readAppearance, setAppearance } from "./read-appearance";
import { after, whenNear } from "./scheduling";
import { styles } from "./styles";
import {
  type FetchToken,
  fromEndpoint,
  readEmbedUrl,
  readScope,
  requestGrant,
  type TokenReason,
} from "./token-source";
import type { EmbedTexts } from "./words";

/** How long a page may take to set `fetchToken` once the tag is there: frameworks do it after the first paint. */
const CONFIGURATION_GRACE = 1_000;

/**
 * Shows an embedded service of the platform and keeps its token fresh, without ever reloading it.
 *
 * @tag platform-embed
 *
 * @slot loading - Shown until the service is ready, instead of the skeleton.
 * @slot error - Shown when the service cannot be shown, instead of the message with its retry button.
 * @slot ended - Shown when the visitor's session is over, instead of the message with its retry button.
 *
 * @event {CustomEvent<{ service: string }>} platform-embed-loading - A frame is being mounted.
 * @event {CustomEvent<ReadyDetail>} platform-embed-ready - The platform has authorized this page; the service is on the screen.
 * @event {CustomEvent<ErrorDetail>} platform-embed-error - Something failed; `code` says what, `message` how to fix it; `status`, `requestId` and `issues` are the token endpoint's.
 * @event {CustomEvent<TokenRefreshedDetail>} platform-embed-token-refreshed - A new token has been handed to the frame.
 * @event {CustomEvent<{ service: string }>} platform-embed-session-expired - The token endpoint answered 401, or 403 where it had given a token before.
 * @event {CustomEvent<NavigateDetail>} platform-embed-navigate - Another folder is open.
 * @event {CustomEvent<BeforeUploadDetail>} platform-embed-before-upload - A file is to be uploaded; cancelable. `detail.refuse()`, `detail.rename()` and `detail.waitUntil()` decide on it.
 * @event {CustomEvent<UploadProgressDetail>} platform-embed-upload-progress - How far all uploads are together, at most twice a second.
 * @event {CustomEvent<UploadCompleteDetail>} platform-embed-upload-complete - A file has arrived in the store.
 * @event {CustomEvent<UploadFailedDetail>} platform-embed-upload-failed - A file has not arrived.
 * @event {CustomEvent<DownloadCompleteDetail>} platform-embed-download-complete - Files have been handed to the browser: an archive's last byte, or a single file's address.
 * @event {CustomEvent<ChangeDetail>} platform-embed-change - A folder was made, or files and folders were renamed, moved, copied, deleted or restored.
 *
 * @csspart frame - The iframe.
 * @csspart overlay - What covers the frame unless the service is ready.
 * @csspart title - The headline of the error and ended states.
 * @csspart detail - Their explanation.
 * @csspart button - Their retry button.
 *
 * @cssprop [--platform-embed-min-height=20rem] - The least height, whatever `height` says.
 * @cssprop --platform-embed-accent - Buttons, links, focus and what is selected, in the frame and in the element's own states.
 * @cssprop --platform-embed-background - The background. A dark one also makes the frame dark where `theme` is `auto`.
 * @cssprop --platform-embed-text - The text in the frame.
 * @cssprop [--platform-embed-radius=0] - The corners' radius; in the frame, 24px at most and 8px unless it is set.
 * @cssprop --platform-embed-font - The font, as in `font-family`.
 * @cssprop [--platform-embed-density=comfortable] - `compact` for lower rows.
 */
export class PlatformEmbed extends ReactiveElement {
  static override properties = {
    service: {},
    scope: { converter: readScope },
    tokenEndpoint: { attribute: "token-endpoint" },
    fetchToken: { attribute: false },
    src: {},
    path: {},
    theme: {},
    locale: {},
    appearance: { attribute: false },
    texts: { attribute: false },
    height: {},
    frameTitle: { attribute: "frame-title" },
    loading: {},
  };

  static override styles: unknown = styles;

  /** The service to show. */
  service = "files";

  /** What the token is asked for, e.g. `{ "bucket": "acme", "path": "/invoices" }`. As an attribute: JSON. */
  scope: unknown = undefined;

  /** The address on your server that responds with a new embed URL; called by POST with JSON and your own cookies. */
  tokenEndpoint: string | null = null;

  /** Gets a new embed URL, instead of `token-endpoint`. Property only. */
  fetchToken: FetchToken | null = null;

  /** A first embed URL, rendered by your server, which saves the first request. */
  src: string | null = null;

  /** The folder to begin with, as `/invoices/2026`, inside the scope. One where the visitor was before, below it, is returned to instead. */
  path: string | null = null;

  /** `light`, `dark` or `auto` (as the system says). May be changed at any time. */
  theme: "light" | "dark" | "auto" = "auto";

  /**
   * A BCP 47 language tag, for numbers, dates and texts; unless it is set, the `lang` of the document, else the browser's language. May be
   * changed at any time.
   */
  locale: string | null = null;

  /**
   * The frame's `accent`, `background`, `text`, `radius`, `font` and `density`, each instead of the CSS property of the same name. Property
   * only. May be changed at any time.
   */
  appearance: EmbedAppearance | null = null;

  /**
   * Your own words instead of the element's, in whatever language you choose: `loading`, `retry`, `ended`, `endedText`, `failed`, `failedText`,
   * `passing`, `offline`, `filesTitle`. Property only. May be changed at any time.
   */
  texts: EmbedTexts | null = null;

  /** `fill` (the height that CSS gives the element), `auto` (the height of the content) or a CSS length. */
  height: "fill" | "auto" | (string & {}) = "fill";

  /** The frame's accessible name; "Embedded files", in the element's language, unless it is set. */
  frameTitle: string | null = null;

  /** `lazy` waits with everything until the element comes near the screen. */
  loading: "eager" | "lazy" = "eager";

  #state: EmbedState = "loading";
  /** For CSS; an attribute that no server has rendered would be one too many to frameworks that hydrate. */
  #states = this.attachInternals().states;
  #frame: EmbedFrame | null = null;
  #resolveReady: ((detail: ReadyDetail) => void) | null = null;
  /** What the frame shows: when this changes, another frame is needed. */
  #subject = "";
  /** The `src` that has been used: later mounts ask for a token of their own, if they can. */
  #usedSrc: string | null = null;
  #base = document.createElement("div");
  #overlay = new Overlay(() => this.refreshToken());
  /** What the frame on the screen has been told. */
  #configured = "";
  /** What the overlay has been told of words. */
  #spoken = "";

  /** What is on the screen. In CSS: `platform-embed:state(ready)`. */
  get state(): EmbedState {
    return this.#state;
  }

  /** Resolves once the service is on the screen, also for those who ask late. A remount makes a new promise. */
  ready: Promise<ReadyDetail> = this.#awaitReady();

  /** Mounts the frame again, with a fresh token. */
  reload(): void {
    this.#mount("manual");
  }

  /**
   * Gets a new token now and hands it to the frame, which is not reloaded.
   * @throws {EmbedError} when there is none
   */
  refreshToken(): Promise<void> {
    if (!this.#frame || (this.state === "error" && !this.#frame.authorized)) this.reload();
    else if (this.state !== "ready") this.#frame.show("loading");
    return this.#frame?.renewal.ask("manual") ?? Promise.reject(new EmbedError("not_configured", false));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#unmount();
  }

  /** Its presence lets `moveBefore()` move the element with its frame alive. */
  connectedMoveCallback(): void {}

  protected override willUpdate(): void {
    // React 19, Svelte and Vue set a property where there is one, also to the text that a template has for the attribute.
    if (typeof this.scope === "string") this.scope = readScope(this.scope);
    setAppearance(this.#base, this.appearance);
    if (!this.#frame || this.#subject !== this.#describeSubject()) this.#mount("initial");
  }

  protected override createRenderRoot() {
    const root = super.createRenderRoot();
    this.#base.part = "base";
    this.#base.append(this.#overlay.element);
    // The element is shown, or what it takes from the page has changed: by a class, a style sheet, the system's theme.
    for (const type of ["animationstart", "transitionrun"])
      root.addEventListener(type, () => this.#configure());
    root.append(this.#base, document.createElement("canvas"));
    return root;
  }

  protected override updated(changed: ChangedProperties): void {
    const { state, theme, height } = this;
    const iframe = this.#frame?.iframe;
    this.#states.clear();
    for (const name of [state, theme, height]) this.#states.add(name);
    this.#speak();
    if (iframe) iframe.inert = !(state === "ready" || (state === "loading" && this.#frame?.visible));
    this.#configure();
    // Through the object model, because a strict Content-Security-Policy forbids style attributes.
    if (changed.has("height")) this.#base.style.height = height === "fill" ? "" : height;
  }

  /** Tells a frame that is ready how to look and speak, unless it has been told just that. */
  #configure(): void {
    const { state, theme } = this;
    const locale = this.#locale;
    const message: ConfigureMessage = {
      type: "platform.embed.configure",
      theme,
      ...(locale && { locale }),
      appearance: readAppearance(this.#base),
      answersBeforeUpload: true,
    };
    const text = state === "ready" ? JSON.stringify(message) : "";
    if (text && text !== this.#configured) this.#frame?.post(message);
    this.#configured = text;
  }

  #mount(reason: TokenReason, afterRefusal = false): void {
    this.#unmount();
    if (!this.isConnected) return;
    this.#subject = this.#describeSubject();
    const { service, scope } = this;
    const frame = new EmbedFrame({
      service,
      afterRefusal,
      createIframe: (url) => {
        const { theme, path } = this;
        const settings = { theme, locale: this.#locale, path, ...readAppearance(this.#base) };
        this.#nameFrame();
        return createIframe(url, settings, this.#base);
      },
      requestToken: (reason, signal) => requestGrant(this.#fetch, { service, scope, reason, signal }),
      onState: (state, error) => {
        this.#state = state;
        this.requestUpdate();
        this.#overlay.show(state, error);
      },
      onVisible: () => {
        this.#overlay.show("ready");
        this.requestUpdate();
      },
      onResize: (height) => {
        if (this.height === "auto") this.#base.style.height = `${height}px`;
      },
      remount: (afterRefusal) => this.#mount("initial", afterRefusal),
      emit: this.#emit,
    });
    this.#frame = frame;
    frame.show("loading");
    this.#emit("platform-embed-loading", { service });
    whenNear(this, this.loading === "lazy", frame.signal, () => this.#start(frame, reason));
  }

  /** Loads the frame from a new `src`, or else from a token that is asked for. */
  #start(frame: EmbedFrame, reason: TokenReason) {
    if (frame.iframe) return; // a script has asked for a token in the meantime
    const { service, scope, src } = this;
    const fail = (code: string) => frame.fail(new EmbedError(code, false));
    if (window.origin === "null") return fail("opaque_origin");
    if (typeof scope === "string") return fail("scope_invalid");
    const canAsk = this.#fetch;
    const url = (src !== this.#usedSrc || !canAsk) && readEmbedUrl(src, service);
    this.#usedSrc = src;
    if (url) frame.load(url);
    else if (canAsk) frame.renewal.ask(reason).catch(() => {});
    else after(CONFIGURATION_GRACE, frame.signal, () => fail("not_configured"));
  }

  get #fetch(): FetchToken | "" | null {
    return this.fetchToken || (this.tokenEndpoint && fromEndpoint(this.tokenEndpoint));
  }

  /** Objects by what they say: frameworks make new ones on every render. */
  #describeSubject(): string {
    const { service, scope, src } = this;
    return JSON.stringify([service, scope, src, !(src || this.#fetch)]);
  }

  /** The frame and the element's own states are in one language, and in that of the page around. */
  get #locale(): string {
    return this.locale || document.documentElement.lang;
  }

  /** Anew only where the words change: a button that is replaced would lose its focus. */
  #speak(): void {
    const locale = this.#locale || navigator.language;
    const spoken = JSON.stringify([locale, this.texts]);
    if (spoken !== this.#spoken) this.#overlay.speak(locale, this.texts);
    this.#spoken = spoken;
    this.#nameFrame();
  }

  /** As the element speaks; the words may still be on their way. */
  async #nameFrame(): Promise<void> {
    const { language } = this.#overlay;
    const sentences: Record<string, string> = (await language).sentences;
    const iframe = this.#frame?.iframe;
    if (iframe && language === this.#overlay.language)
      iframe.title = this.frameTitle ?? sentences[`${this.service}Title`] ?? this.service;
  }

  #unmount(): void {
    this.#frame?.end();
    this.#frame?.iframe?.remove();
    this.#frame = null;
    if (!this.#resolveReady) this.ready = this.#awaitReady();
  }

  #awaitReady(): Promise<ReadyDetail> {
    return new Promise((resolve) => {
      this.#resolveReady = resolve;
    });
  }

  #emit: Emit = (type, detail) => {
    if (type === "platform-embed-ready") {
      this.#resolveReady?.(detail as ReadyDetail);
      this.#resolveReady = null;
    }
    const cancelable = type === "platform-embed-before-upload";
    return this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable }));
  };
}

declare global {
  interface HTMLElementTagNameMap {
    "platform-embed": PlatformEmbed;
  }
}
