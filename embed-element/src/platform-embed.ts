import { html, LitElement, type PropertyValues, type TemplateResult } from "lit";
import { property } from "lit/decorators.js";
import { keyed } from "lit/directives/keyed.js";
import type { ConfigureMessage, EmbedAppearance, FileAction, PickerMode } from "../protocol.js";
import { readAppearance, setAppearance } from "./appearance.js";
import { EmbedError } from "./embed-error.js";
import { EmbedFrame } from "./embed-frame.js";
import type { Emit, ReadyDetail } from "./events.js";
import { SANDBOX, withSettings } from "./iframe.js";
import { LanguageController } from "./language-controller.js";
import type { EmbedTexts } from "./messages.js";
import { type EmbedState, renderOverlay } from "./overlay.js";
import {
  type FetchToken,
  fromEndpoint,
  readEmbedUrl,
  readScope,
  requestToken,
  type TokenReason,
} from "./request-token.js";
import { after, untilNearViewport } from "./scheduling.js";
import { styles } from "./styles.js";

/** How long a page may take to set `fetchToken` after the tag has appeared: frameworks do it after the first paint. */
const CONFIGURATION_TIMEOUT_MS = 1_000;

/**
 * Shows an embedded service of the platform and keeps its token fresh, without ever reloading it.
 *
 * @tag platform-embed
 *
 * @slot loading - Shown until the service is ready, instead of the skeleton.
 * @slot error - Shown when the service cannot be shown, instead of the message with its retry button.
 * @slot ended - Shown when the visitor's session is over, or your page has ended it, instead of the message with its retry button.
 *
 * @event {CustomEvent<{ service: string }>} platform-embed-loading - A frame is being mounted.
 * @event {CustomEvent<ReadyDetail>} platform-embed-ready - The platform has authorized this page; the service is on the screen.
 * @event {CustomEvent<ErrorDetail>} platform-embed-error - Something failed; `code` says what, `message` how to fix it. `status`, `requestId` and `issues` come from the token endpoint.
 * @event {CustomEvent<TokenRefreshedDetail>} platform-embed-token-refreshed - A new token has been passed to the frame.
 * @event {CustomEvent<{ service: string }>} platform-embed-session-expired - The token endpoint responded with 401, or with 403 after it had returned a token before.
 * @event {CustomEvent<{ service: string }>} platform-embed-ended - Your page has called `end()`.
 * @event {CustomEvent<NavigateDetail>} platform-embed-navigate - Another folder is open, or other filters are chosen in it. It exists, unless the visitor went back to one that has been deleted.
 * @event {CustomEvent<BeforeUploadDetail>} platform-embed-before-upload - A file is about to be uploaded; cancelable. `detail.refuse()`, `detail.rename()` and `detail.waitUntil()` decide about it.
 * @event {CustomEvent<UploadProgressDetail>} platform-embed-upload-progress - The progress of all uploads together, at most twice a second.
 * @event {CustomEvent<UploadCompleteDetail>} platform-embed-upload-complete - A file has been uploaded.
 * @event {CustomEvent<UploadFailedDetail>} platform-embed-upload-failed - A file could not be uploaded.
 * @event {CustomEvent<DownloadCompleteDetail>} platform-embed-download-complete - Files have been handed to the browser: an archive's last byte, or a single file's URL.
 * @event {CustomEvent<SelectionDetail>} platform-embed-selection - The visitor has selected other files and folders.
 * @event {CustomEvent<ChooseDetail>} platform-embed-choose - With `picker`: the visitor has chosen files or a folder.
 * @event {CustomEvent<{ service: string }>} platform-embed-choose-cancel - With `picker`: the visitor has pressed Cancel.
 * @event {CustomEvent<FileActionDetail>} platform-embed-file-action - The visitor has chosen one of your `fileActions`. `detail.waitUntil()`, `detail.progress()` and `detail.fail()` show what becomes of it.
 * @event {CustomEvent<ChangeDetail>} platform-embed-change - A folder was made, or files and folders were renamed, moved, copied, deleted, restored or purged.
 * @event {CustomEvent<DoneDetail>} platform-embed-done - On a hand-in page, the visitor has finished. `detail.files` is what they have handed in; they may send more.
 *
 * @csspart frame - The iframe.
 * @csspart overlay - Covers the frame unless the service is ready.
 * @csspart title - The headline of the error and ended states.
 * @csspart detail - The explanation in the error and ended states.
 * @csspart button - The retry button of the error and ended states.
 *
 * @cssprop [--platform-embed-min-height=20rem] - The minimum height, whatever `height` says.
 * @cssprop --platform-embed-accent - The colour of buttons, links, focus and selection, in the frame and in the element's own states.
 * @cssprop --platform-embed-background - The background. If `theme` is `auto`, a dark background also makes the frame dark.
 * @cssprop --platform-embed-text - The text in the frame.
 * @cssprop [--platform-embed-radius=0] - The corner radius. In the frame it is at most 24px, by default 8px.
 * @cssprop --platform-embed-font - The font, as in `font-family`.
 * @cssprop [--platform-embed-density=comfortable] - `compact` makes rows lower.
 */
export class PlatformEmbed extends LitElement {
  static override styles = styles;

  /** The service to show: `files` or `activity`. */
  @property() service = "files";

  /** The scope to request a token for, e.g. `{ "bucket": "acme", "path": "/invoices" }`. As an attribute: JSON. */
  @property({ converter: readScope }) scope: unknown = undefined;

  /** The URL on your server that responds with a new embed URL; called by POST with JSON and your own cookies. */
  @property({ attribute: "token-endpoint" }) tokenEndpoint: string | null = null;

  /** Gets a new embed URL, instead of `token-endpoint`. Property only. */
  @property({ attribute: false }) fetchToken: FetchToken | null = null;

  /** A first embed URL, rendered by your server, which saves the first request. */
  @property() src: string | null = null;

  /**
   * The folder to open, as `/invoices/2026`, inside the scope. A visitor who was in a folder below it before returns there
   * instead. May be changed at any time: this opens the folder.
   */
  @property() path: string | null = null;

  /**
   * The filters that are chosen in that folder, as `filter` of a `platform-embed-navigate` event has told them. Read when a frame is mounted;
   * what the platform does not know is ignored.
   */
  @property() filter: string | null = null;

  /** `light`, `dark` or `auto` (follows the system). May be changed at any time. */
  @property() theme: "light" | "dark" | "auto" = "auto";

  /**
   * A BCP 47 language tag for numbers, dates and texts. Default: the `lang` of the document, then the browser's language. May be
   * changed at any time.
   */
  @property() locale: string | null = null;

  /**
   * The frame's `accent`, `background`, `text`, `radius`, `font` and `density`; each overrides the CSS property of the same name.
   * Property only. May be changed at any time.
   */
  @property({ attribute: false }) appearance: EmbedAppearance | null = null;

  /**
   * Your own sentences instead of the element's, in whatever language you choose: `loading`, `retry`, `ended`, `endedText`, `failed`,
   * `failedText`, `passing`, `offline`, `filesTitle`; and in the frame, for a hand-in page, `handInTitle` and `handInText`. Property only. May be changed at any time.
   */
  @property({ attribute: false }) texts: EmbedTexts | null = null;

  /** `fill` (the height that CSS gives the element), `auto` (the height of the content) or a CSS length. */
  @property() height: "fill" | "auto" | (string & {}) = "fill";

  /** The frame's accessible name. Default: "Embedded files", in the element's language. */
  @property({ attribute: "frame-title" }) frameTitle: string | null = null;

  /** `lazy` waits with everything until the element comes near the viewport. */
  @property() loading: "eager" | "lazy" = "eager";

  /**
   * Lets the visitor choose `file` (one), `files` (one or several) or `folder` (one) for your page, with the buttons Choose and Cancel. May be
   * changed at any time.
   */
  @property() picker: PickerMode | null = null;

  /** With `picker`: the files that may be chosen, as in `<input accept>`: `image/*,.pdf`. */
  @property() accept: string | null = null;

  /** Entries of your own in the menus of files and folders, and in the bar of what is selected. Property only. May be changed at any time. */
  @property({ attribute: false }) fileActions: FileAction[] | null = null;

  #frame: EmbedFrame | null = null;
  #language = new LanguageController(this);
  /** Custom states rather than attributes: an attribute that the server has not rendered would be a hydration mismatch. */
  #states = this.attachInternals().states;
  #resolveReady: ((detail: ReadyDetail) => void) | null = null;
  /** The content of the mounted frame, see `#describeContent()`. When this changes, a new frame is needed. */
  #mounted = "";
  /** The `src` that a frame has used. Later frames request a token of their own, if they can. */
  #usedSrc: string | null = null;
  /** The last configuration that the frame was sent, as JSON. */
  #configured = "";
  /** The `path` that the frame was asked to open. */
  #opened: string | null = null;
  #hasEnded = false;

  /** What the element shows. In CSS: `platform-embed:state(ready)`. */
  get state(): EmbedState {
    return this.#hasEnded ? "ended" : (this.#frame?.state ?? "loading");
  }

  /** Resolves when the service is on the screen, or at once if it already is. Each new frame makes a new promise. */
  ready: Promise<ReadyDetail> = this.#awaitReady();

  /** Mounts a new frame with a fresh token. */
  reload(): void {
    this.#hasEnded = false;
    this.#mount("manual");
  }

  /**
   * Opens a folder, as `/invoices/2026`, inside the scope. Resolves when it is on the screen.
   * @throws {EmbedError} `folder_not_found`, `scope_not_allowed`, `path_invalid`, `replaced` by another folder, `not_ready`, `ended`, …
   */
  navigate(path: string): Promise<void> {
    if (this.state === "ended") return Promise.reject(new EmbedError("ended", false));
    return this.#frame?.openFolder(path) ?? Promise.reject(new EmbedError("not_ready", true));
  }

  /**
   * Ends the session, for a visitor who signs out: removes the frame with its token, its files and all running transfers. The
   * element shows that the session has ended, and requests no token until `reload()`.
   */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#unmount();
    this.requestUpdate();
    this.#emit("platform-embed-ended", { service: this.service });
  }

  /**
   * Gets a new token now and passes it to the frame, which is not reloaded.
   * @throws {EmbedError} when there is none
   */
  refreshToken(): Promise<void> {
    if (!this.#frame || (this.state === "error" && !this.#frame.isAuthorized)) this.reload();
    else if (this.state !== "ready") this.#frame.show("loading");
    return this.#frame?.renewal.request("manual") ?? Promise.reject(new EmbedError("not_configured", false));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // An element that was removed has no frame: the next update mounts one.
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#unmount();
  }

  /** Its presence lets `moveBefore()` move the element without a disconnect, which keeps the frame alive. */
  connectedMoveCallback(): void {}

  protected override willUpdate(): void {
    // React 19, Svelte and Vue set the property, even to the JSON that a template has for the attribute.
    if (typeof this.scope === "string") this.scope = readScope(this.scope);
    if (this.#hasEnded) return;
    if (!this.#frame || this.#mounted !== this.#describeContent()) this.#mount("initial");
  }

  protected override render(): TemplateResult {
    const frame = this.#frame;
    // The canvas notices changes of the page's custom properties: see styles.ts.
    return html`
      <div part="base">
        ${keyed(frame, frame?.url && this.#renderIframe(frame, frame.url))}
        ${renderOverlay({
          state: frame?.isCovered === false ? "ready" : this.state,
          error: frame?.error ?? null,
          language: this.#language.current,
          onRetry: () => this.refreshToken().catch(() => {}),
        })}
      </div>
      <canvas
        @animationstart=${this.#configure}
        @transitionrun=${this.#configure}
        @transitioncancel=${this.#configure}
      ></canvas>
    `;
  }

  /**
   * Each frame has an iframe of its own: another `src` in the same iframe would leave an entry in the page's history. The
   * platform checks the embedding page by its `Referer`, so the policy is explicit: a page-wide `no-referrer` must not hide it.
   */
  #renderIframe(frame: EmbedFrame, url: URL): TemplateResult {
    const messages: Record<string, string> | undefined = this.#language.current?.messages;
    return html`
      <iframe
        part="frame"
        title=${this.frameTitle ?? messages?.[`${this.service}Title`] ?? this.service}
        sandbox=${SANDBOX}
        allow="fullscreen"
        referrerpolicy="strict-origin"
        ?inert=${frame.isCovered}
        src=${url.href}
        @load=${() => frame.handleLoad()}
      ></iframe>
    `;
  }

  protected override updated(changed: PropertyValues<this>): void {
    const { state, theme, height, base } = this;
    this.#states.clear();
    for (const name of [state, theme, height]) this.#states.add(name);
    // Set through the object model, because a strict Content-Security-Policy forbids style attributes.
    if (changed.has("height")) base.style.height = height === "fill" ? "" : height;
    setAppearance(base, this.appearance);
    this.#configure();
    this.#openPath();
  }

  /**
   * Opens a changed `path`, as soon as the frame is ready. Does nothing if the frame is there already, because a page may keep `path` up to
   * date with the visitor's own navigation.
   */
  #openPath(): void {
    const { path } = this;
    if (this.state !== "ready" || path === this.#opened) return;
    this.#opened = path;
    // A failure is an event, too.
    if (path !== null && path !== this.#frame?.path) this.navigate(path).catch(() => {});
  }

  /** Tells a ready frame which theme, language and appearance to use, unless it already knows. */
  #configure(): void {
    const { theme, texts, picker, accept, fileActions } = this;
    const { locale } = this.#language;
    const message: ConfigureMessage = {
      type: "platform.embed.configure",
      theme,
      ...(locale && { locale }),
      appearance: readAppearance(this.base),
      texts,
      answersBeforeUpload: true,
      picker: picker && { mode: picker, accept },
      fileActions,
    };
    const configuration = this.state === "ready" ? JSON.stringify(message) : "";
    if (configuration && configuration !== this.#configured) this.#frame?.post(message);
    this.#configured = configuration;
  }

  #mount(reason: TokenReason, remounts = 0): void {
    this.#unmount();
    if (!this.isConnected) return;
    this.#mounted = this.#describeContent();
    const { service, scope } = this;
    const frame = new EmbedFrame({
      service,
      remounts,
      canRequestToken: () => this.#tokenSource !== null,
      requestToken: (reason, signal) => requestToken(this.#tokenSource, { service, scope, reason, signal }),
      addSettings: (embedUrl) => {
        const { theme, path, filter, texts } = this;
        const { locale } = this.#language;
        this.#opened = path;
        frame.path = path;
        return withSettings(embedUrl, {
          theme,
          locale,
          path,
          filter,
          ...readAppearance(this.base),
          handInTitle: texts?.handInTitle,
          handInText: texts?.handInText,
        });
      },
      getWindow: () => this.iframe?.contentWindow,
      onChange: () => this.requestUpdate(),
      onResize: (height) => {
        if (this.height === "auto") this.base.style.height = `${height}px`;
      },
      emit: this.#emit,
      remount: (remounts) => this.#mount("initial", remounts),
    });
    this.#frame = frame;
    this.requestUpdate();
    this.#emit("platform-embed-loading", { service });
    this.#start(frame, reason);
  }

  /** Loads the frame from a new `src`, or requests a token for it. */
  async #start(frame: EmbedFrame, reason: TokenReason): Promise<void> {
    // The frame's URL has the appearance in it, which is read from the rendered element.
    await this.updateComplete;
    if (this.loading === "lazy") await untilNearViewport(this, frame.signal);
    // The element may have been removed, or a script may have requested a token, in the meantime.
    if (frame.signal.aborted || frame.url) return;
    const { service, scope, src } = this;
    const fail = (code: string) => frame.fail(new EmbedError(code, false));
    if (window.origin === "null") return fail("opaque_origin");
    if (typeof scope === "string") return fail("scope_invalid");
    const tokenSource = this.#tokenSource;
    const url = (src !== this.#usedSrc || !tokenSource) && readEmbedUrl(src, service);
    this.#usedSrc = src;
    if (url) frame.load(url);
    else if (tokenSource) frame.renewal.request(reason).catch(() => {});
    else after(CONFIGURATION_TIMEOUT_MS, frame.signal, () => fail("not_configured"));
  }

  private get base(): HTMLElement {
    return this.renderRoot.querySelector("div") as HTMLElement;
  }

  private get iframe(): HTMLIFrameElement | null {
    return this.renderRoot?.querySelector("iframe");
  }

  get #tokenSource(): FetchToken | null {
    return this.fetchToken ?? (this.tokenEndpoint ? fromEndpoint(this.tokenEndpoint) : null);
  }

  /** As JSON, so that equal objects are equal: frameworks make new ones on every render. */
  #describeContent(): string {
    const { service, scope, src } = this;
    const isConfigured = Boolean(src || this.#tokenSource);
    return JSON.stringify([service, scope, src, isConfigured]);
  }

  #unmount(): void {
    this.#frame?.end();
    // At once, not with the next update: if the element is being moved, the browser would load the iframe again.
    this.iframe?.remove();
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
