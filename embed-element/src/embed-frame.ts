import { type ErrorMessage, type HostMessage, PROTOCOL_VERSION, parseFrameMessage } from "../protocol.js";
import { askBeforeUpload } from "./before-upload.js";
import { EmbedError, type EmbedErrorCode } from "./embed-error.js";
import type { Emit } from "./events.js";
import { runFileAction } from "./file-action.js";
import type { EmbedState } from "./overlay.js";
import type { IssuedToken, TokenReason } from "./request-token.js";
import { after, onWake } from "./scheduling.js";
import { TokenRenewal } from "./token-renewal.js";

/** How long the frame may take to report that it is ready. */
const READY_TIMEOUT_MS = 30_000;
/** How long the frame may stay silent once its page has loaded. */
const SILENCE_AFTER_LOAD_MS = 6_000;
/** How long to wait for a `navigate` message after a repeated `load`. Without one, the frame is taken to have reloaded. */
const NAVIGATE_AFTER_LOAD_MS = 2_000;
/** How long the frame may take to list a folder that this page has asked for. */
const OPEN_FOLDER_TIMEOUT_MS = 30_000;
/** How long to wait before a frame with a transient error is mounted again. */
const REMOUNT_DELAY_MS = 15_000;

/**
 * Error codes of the frame that a new frame with a fresh token fixes. `referrer_missing` is one of them: a frame that
 * reloads itself sends no referrer, so the platform refuses it although its token is still valid.
 */
const REMOUNT_CODES = ["invalid_token", "referrer_missing"];
/** So does it after the frame's codes that begin with this: `token_missing`, `token_expired` and `token_revoked`. */
const TOKEN_CODE = "token_";
/**
 * A frame is mounted again once after such an error, after those of the token up to five times in a row, and the wait
 * before each is a second longer: when an API key begins to require a tag of files, the platform refuses all tokens that are issued in the
 * next 7 seconds.
 */
const MAX_REMOUNTS = 5;
/** Transient error codes of the frame. */
const TEMPORARY_CODES = ["unavailable", "unreachable", "offline", "internal", "rate_limited"];

export interface EmbedFrameOptions {
  service: string;
  /** how often in a row a frame was mounted again because of `REMOUNT_CODES`, without one in between that was shown */
  remounts: number;
  requestToken(reason: TokenReason, signal: AbortSignal): Promise<IssuedToken>;
  /** Adds to an embed URL what the frame needs for its first rendering. */
  addSettings(embedUrl: URL): URL;
  /** The iframe's window, once it has been rendered. */
  getWindow(): Window | null | undefined;
  /** Called when `url`, `state`, `error` or `isCovered` has changed. */
  onChange(): void;
  /** @param height of the content, CSS pixels */
  onResize(height: number): void;
  emit: Emit;
  /** whether there is somebody to request another token from */
  canRequestToken(): boolean;
  /** Replaces this frame by a new one. @param remounts its `remounts` */
  remount(remounts: number): void;
}

/**
 * One mounted frame, from the request for its token until it is removed: what is shown, messages and token renewal. The
 * element renders the iframe.
 */
export class EmbedFrame {
  /** the iframe's URL; null until there is a token */
  url: URL | null = null;
  state: EmbedState = "loading";
  /** why the state is `error` */
  error: EmbedError | null = null;
  /** whether the overlay covers the frame */
  isCovered = true;
  /** whether the platform has authorized this page */
  isAuthorized = false;
  /** the folder that the frame shows, as far as this page knows; null for the scope's own */
  path: string | null = null;
  readonly renewal: TokenRenewal;
  readonly signal: AbortSignal;

  #options: EmbedFrameOptions;
  #abort = new AbortController();
  #loads = 0;
  /** whether the frame has shown its content */
  #hasAppeared = false;
  /** whether the frame has asked for a token and not received one */
  #isWaitingForToken = false;
  /** whether the frame has navigated since its last load */
  #hasNavigated = false;
  /** whether the frame understands `platform.embed.open-folder` */
  #opensFolders = false;
  /** the folders that this page has asked for and that the frame has not opened yet, by the ids of the messages */
  #opening = new Map<number, (code?: EmbedErrorCode) => void>();
  #lastId = 0;

  constructor(options: EmbedFrameOptions) {
    this.#options = options;
    this.signal = this.#abort.signal;
    this.renewal = new TokenRenewal({
      signal: this.signal,
      request: async (reason, signal) => {
        const issued = await options.requestToken(reason, signal);
        // A token must not reach another origin than the one that it was issued for.
        if (this.url && issued.url.origin !== this.url.origin)
          throw new EmbedError("token_endpoint_invalid", false, "(another origin)");
        return issued;
      },
      onToken: (issued) => this.#useToken(issued),
      onFailure: (error) => this.#reportFailure(error),
    });
  }

  /** Stops every timer, listener and request of this frame. */
  end(): void {
    this.#abort.abort();
  }

  post = (message: HostMessage): void => {
    if (this.url) this.#options.getWindow()?.postMessage(message, this.url.origin);
  };

  /**
   * Opens a folder. Resolves when the frame shows it.
   * @throws {EmbedError} if the frame cannot show it, or does not say so within 30 seconds
   */
  openFolder(path: string): Promise<void> {
    if (this.state !== "ready") return Promise.reject(new EmbedError("not_ready", true));
    if (!this.#opensFolders) return Promise.reject(new EmbedError("not_supported", false));
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      const settled = new AbortController();
      const settle = (code?: EmbedErrorCode) => {
        settled.abort();
        this.#opening.delete(id);
        if (!code) return resolve();
        const error = new EmbedError(code, TEMPORARY_CODES.includes(code), path, { path });
        if (code !== "replaced" && code !== "ended") this.#emitError(error);
        reject(error);
      };
      this.#opening.set(id, settle);
      after(OPEN_FOLDER_TIMEOUT_MS, settled.signal, () => settle("frame_timeout"));
      this.signal.addEventListener("abort", () => settle("ended"), { signal: settled.signal });
      this.post({ type: "platform.embed.open-folder", id, path });
    });
  }

  show(state: EmbedState, error: EmbedError | null = null): void {
    this.state = state;
    this.error = error;
    this.isCovered = state !== "ready";
    this.#options.onChange();
  }

  load(embedUrl: URL): void {
    const { signal } = this;
    const { origin } = embedUrl;
    if (isMixedContent(embedUrl)) {
      this.fail(new EmbedError("frame_insecure", false, `(${origin})`));
      return;
    }
    this.url = this.#options.addSettings(embedUrl);
    this.#options.onChange();
    after(READY_TIMEOUT_MS, signal, () => this.fail(new EmbedError("frame_timeout", true)));
    addEventListener("message", (event) => this.#receive(event), { signal });
    const onViolation = (event: SecurityPolicyViolationEvent) => {
      const isFrame = event.blockedURI.startsWith(origin) && event.effectiveDirective === "frame-src";
      if (isFrame && event.disposition === "enforce")
        this.fail(new EmbedError("frame_blocked", false, `(frame-src ${origin})`));
    };
    document.addEventListener("securitypolicyviolation", onViolation, { signal });
  }

  /** The iframe has loaded a document. */
  handleLoad(): void {
    this.#loads += 1;
    this.#hasNavigated = false;
    if (this.#loads === 1 || !this.isAuthorized) {
      after(SILENCE_AFTER_LOAD_MS, this.signal, () => this.#explainSilence());
      return;
    }
    // The frame removes the token from its URL, so a frame that has reloaded (from its context menu, after a crash)
    // has none. WebKit also reports a load for Back and Forward within the frame's document; remounting then would lose
    // its uploads and its history.
    after(NAVIGATE_AFTER_LOAD_MS, this.signal, () => {
      if (!this.#hasNavigated) this.#options.remount(0);
    });
  }

  /** Shows why the service cannot be shown. Does nothing once it is shown. */
  fail(error: EmbedError): void {
    if (this.isAuthorized || this.signal.aborted || this.state === "error") return;
    this.show("error", error);
    this.#emitError(error);
    if (!error.retryable) return;
    const retry = () => {
      if (!this.isAuthorized) this.#options.remount(0);
    };
    after(REMOUNT_DELAY_MS, this.signal, retry);
    onWake(this.signal, retry);
  }

  #receive({ source, origin, data }: MessageEvent): void {
    if (!source || source !== this.#options.getWindow() || origin !== this.url?.origin) return;
    const message = parseFrameMessage(data);
    const { service, emit, onResize } = this.#options;
    if (!message || ("service" in message && message.service !== service)) return;
    if (message.type === "platform.embed.navigate") {
      this.#hasNavigated = true;
      this.path = message.path;
    }
    switch (message.type) {
      case "platform.embed.token-expired":
        // A refused frame asks, too. It is mounted again because of its error.
        if (this.isAuthorized && this.state !== "ended") {
          this.#isWaitingForToken = true;
          this.renewal.requestForFrame();
        }
        break;
      case "platform.embed.visible":
        this.#hasAppeared = true;
        if (this.state !== "loading") break;
        this.isCovered = false;
        this.#options.onChange();
        break;
      case "platform.embed.ready":
        if (this.state === "ready") break;
        if (message.version > PROTOCOL_VERSION) console.warn("<platform-embed> is older than the platform.");
        this.isAuthorized = true;
        this.#opensFolders = message.opensFolders ?? false;
        this.show("ready");
        emit("platform-embed-ready", { service, expiresAt: message.expiresAt });
        break;
      case "platform.embed.error":
        this.#receiveError(message);
        break;
      case "platform.embed.folder-opened":
        this.#opening.get(message.id)?.(message.code);
        break;
      case "platform.embed.resize":
        onResize(message.height);
        break;
      case "platform.embed.before-upload":
        askBeforeUpload(message, emit, this.post);
        break;
      case "platform.embed.file-action":
        runFileAction(message, emit, this.post);
        break;
      default: {
        const { type, ...detail } = message;
        // Each of the remaining messages has an event of the same name with the same members.
        emit(type.replaceAll(".", "-") as "platform-embed-navigate", detail as never);
      }
    }
  }

  #receiveError({ code, path }: ErrorMessage): void {
    // The frame repeats what `token-unavailable` told it; that has been reported already.
    if (code === "session_ended") return;
    const isOfToken = code.startsWith(TOKEN_CODE);
    const remounts = this.isAuthorized ? 0 : this.#options.remounts;
    const mayRemount =
      remounts === 0 || (isOfToken && remounts < MAX_REMOUNTS && this.#options.canRequestToken());
    if (mayRemount && (isOfToken || REMOUNT_CODES.includes(code))) {
      after(remounts * 1_000, this.signal, () => this.#options.remount(remounts + 1));
      return;
    }
    const detail = code === "origin_not_allowed" ? window.origin : path;
    const error = new EmbedError(code, TEMPORARY_CODES.includes(code), detail, { path });
    if (this.isAuthorized) this.#emitError(error);
    else this.fail(error);
  }

  #useToken({ url, token, expiresAt }: IssuedToken): void {
    if (!this.url) {
      this.show("loading");
      this.load(url);
      return;
    }
    this.post({ type: "platform.embed.token-refreshed", token });
    this.#isWaitingForToken = false;
    if (this.isAuthorized) this.show("ready");
    this.#options.emit("platform-embed-token-refreshed", { expiresAt });
  }

  /** A frame that has not asked for a token still has a valid one, and is left alone unless the session has ended. */
  #reportFailure(error: EmbedError): void {
    const hasEnded = error.code === "session_expired";
    if (this.#isWaitingForToken || hasEnded)
      this.post({ type: "platform.embed.token-unavailable", retryable: error.retryable });
    if (hasEnded) {
      const { service, emit } = this.#options;
      this.show("ended");
      console.info(`<platform-embed> ${error.message}`);
      emit("platform-embed-session-expired", { service });
      return;
    }
    if (this.state !== "ready" || (this.#isWaitingForToken && !error.retryable)) this.show("error", error);
    this.#emitError(error);
  }

  /** The iframe has loaded something that sends no messages: a browser's own error page, or another server's page. */
  async #explainSilence(): Promise<void> {
    if (this.state !== "loading" || this.#hasAppeared || !this.url) return;
    const { origin } = this.url;
    const code = await findReasonForSilence(origin, this.signal);
    this.fail(new EmbedError(code, code !== "frame_blocked", `(${origin})`));
  }

  #emitError({ code, retryable, message, refusal }: EmbedError): void {
    // A missing folder is shown as missing, and a refused one is not shown.
    if (refusal.path !== undefined) this.path = null;
    console.warn(`<platform-embed> ${code}: ${message}`);
    this.#options.emit("platform-embed-error", { code, retryable, message, ...refusal });
  }
}

/** Browsers show no http page in an https page, unless it comes from the visitor's own machine. */
function isMixedContent({ protocol, hostname }: URL): boolean {
  return (
    location.protocol === "https:" && protocol === "http:" && !/^(localhost$|127\.|\[::1)/.test(hostname)
  );
}

/** Asks the platform at `origin`, whose page has sent no message, whether it can be reached at all. */
async function findReasonForSilence(origin: string, signal: AbortSignal): Promise<EmbedErrorCode> {
  const responds = (mode: RequestMode) =>
    fetch(`${origin}/healthz`, { mode, credentials: "omit", cache: "no-store", signal }).then(
      ({ ok, type }) => ok || type === "opaque",
      () => false,
    );
  // Every page may read the platform's response. If only a request without CORS succeeds, something else responds.
  if (await responds("cors")) return "frame_blocked";
  return (await responds("no-cors")) ? "frame_failed" : "frame_unreachable";
}
