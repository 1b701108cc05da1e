import { type HostMessage, PROTOCOL_VERSION, parseFrameMessage } from "../protocol";
import { answerBeforeUpload } from "./before-upload";
import { EmbedError } from "./embed-error";
import type { Emit } from "./events";
import { explainSilence } from "./explain-silence";
import type { EmbedState } from "./overlay";
import { after, onWake } from "./scheduling";
import { TokenRenewal } from "./token-renewal";
import type { Grant, TokenReason } from "./token-source";

/** How long the frame may take to report ready, in all and once its page has loaded (milliseconds). */
const FRAME_TIMEOUT = 30_000;
const READY_AFTER_LOAD = 6_000;
/** How long a frame that has loaded once more may take to say that it has only gone to another folder (milliseconds). */
const NAVIGATE_AFTER_LOAD = 2_000;

/** How long until a frame that could not be shown for the moment is mounted again (milliseconds). */
const REMOUNT_DELAY = 15_000;

/**
 * Codes of the frame's that a new frame with a fresh token fixes. `referrer_missing` is one: a page that reloads itself is
 * its own referrer and sends none, so it is refused although its token is still valid.
 */
const REMOUNT_CODES = ["token_missing", "invalid_token", "token_expired", "referrer_missing"];
/** Codes of the frame's that pass by themselves. */
const PASSING_CODES = ["unavailable", "internal", "rate_limited"];

export interface EmbedFrameOptions {
  service: string;
  createIframe: (url: URL) => HTMLIFrameElement;
  requestToken: (reason: TokenReason, signal: AbortSignal) => Promise<Grant>;
  onState: (state: EmbedState, error?: EmbedError) => void;
  /** the frame shows its content, and can be used although its scripts are still on their way */
  onVisible: () => void;
  onResize: (height: number) => void;
  emit: Emit;
  /** Mounts another frame in the place of this one. */
  remount: (afterRefusal: boolean) => void;
  /** this frame is such a one, after the frame before it was refused with a code that a new frame fixes */
  afterRefusal: boolean;
}

/** One mounted frame, from the request for its token until it is removed: readiness, messages and renewal. */
export class EmbedFrame {
  /** true once the platform has authorized this page */
  authorized = false;
  /** true once it shows its content */
  visible = false;
  iframe: HTMLIFrameElement | null = null;
  readonly renewal: TokenRenewal;
  readonly signal: AbortSignal;

  #options: EmbedFrameOptions;
  #ending = new AbortController();
  #origin = "";
  #state: EmbedState = "loading";
  /** the frame has asked for a token and not got one */
  #isWaiting = false;
  /** it has gone to another folder since it loaded last */
  #hasNavigated = false;

  constructor(options: EmbedFrameOptions) {
    this.#options = options;
    this.signal = this.#ending.signal;
    this.renewal = new TokenRenewal({
      signal: this.signal,
      request: async (reason, signal) => {
        const grant = await options.requestToken(reason, signal);
        // A token must not reach another origin than the one that it was issued for.
        if (this.iframe && grant.url.origin !== this.#origin)
          throw new EmbedError("token_endpoint_invalid", false, "(another origin)");
        return grant;
      },
      onGrant: (grant) => this.#useGrant(grant),
      onFailure: (error) => this.#reportFailure(error),
    });
  }

  /** Stops every timer, listener and request of this frame. */
  end(): void {
    this.#ending.abort();
  }

  post(message: HostMessage): void {
    this.iframe?.contentWindow?.postMessage(message, this.#origin);
  }

  show(state: EmbedState, error?: EmbedError): void {
    this.#state = state;
    this.#options.onState(state, error);
  }

  load(url: URL): void {
    const { signal } = this;
    this.#origin = url.origin;
    if (isMixedContent(url)) {
      this.fail(new EmbedError("frame_insecure", false, `(${url.origin})`));
      return;
    }
    const iframe = this.#options.createIframe(url);
    this.iframe = iframe;
    let loads = 0;
    const onLoad = () => {
      loads += 1;
      this.#hasNavigated = false;
      // The token leaves the frame's address, so a frame that loads once more (its own menu, a crash) comes without one. To WebKit, Back and
      // Forward within the frame's document are a load as well: mounted anew, it would lose its uploads and the way forward.
      if (loads > 1 && this.authorized)
        after(NAVIGATE_AFTER_LOAD, signal, () => this.#hasNavigated || this.#options.remount(false));
      else after(READY_AFTER_LOAD, signal, () => this.#explainSilence());
    };
    iframe.addEventListener("load", onLoad, { signal });
    after(FRAME_TIMEOUT, signal, () => this.fail(new EmbedError("frame_timeout", true)));
    addEventListener("message", (event) => this.#receive(event), { signal });
    const onViolation = (event: SecurityPolicyViolationEvent) => {
      const isOurs = event.blockedURI.startsWith(url.origin) && event.effectiveDirective === "frame-src";
      if (isOurs && event.disposition === "enforce")
        this.fail(new EmbedError("frame_blocked", false, `(frame-src ${url.origin})`));
    };
    document.addEventListener("securitypolicyviolation", onViolation, { signal });
  }

  /** Shows why there is no service on the screen; does nothing once there is one. */
  fail(error: EmbedError): void {
    if (this.authorized || this.signal.aborted || this.#state === "error") return;
    this.show("error", error);
    this.#emitError(error);
    if (!error.retryable) return;
    const again = () => this.authorized || this.#options.remount(false);
    after(REMOUNT_DELAY, this.signal, again);
    onWake(this.signal, again);
  }

  #receive({ source, origin, data }: MessageEvent): void {
    if (source !== this.iframe?.contentWindow || origin !== this.#origin) return;
    const message = parseFrameMessage(data);
    const { service, emit, onResize } = this.#options;
    if (!message || ("service" in message && message.service !== service)) return;
    if (message.type === "platform.embed.navigate") this.#hasNavigated = true;
    switch (message.type) {
      case "platform.embed.token-expired":
        this.#isWaiting = true;
        if (this.#state !== "ended") this.renewal.askForFrame();
        break;
      case "platform.embed.visible":
        this.visible = true;
        if (this.#state === "loading") this.#options.onVisible();
        break;
      case "platform.embed.ready":
        if (this.#state === "ready") break;
        if (message.version > PROTOCOL_VERSION) console.warn("<platform-embed> is older than the platform.");
        this.authorized = true;
        this.show("ready");
        emit("platform-embed-ready", { service, expiresAt: message.expiresAt });
        break;
      case "platform.embed.error":
        this.#receiveError(message.code);
        break;
      case "platform.embed.resize":
        onResize(message.height);
        break;
      case "platform.embed.before-upload":
        answerBeforeUpload(message, emit, (answer) => this.post(answer));
        break;
      default: {
        const { type, ...detail } = message;
        // The messages that are left have the events of the same name and the same members.
        emit(type.replaceAll(".", "-") as "platform-embed-navigate", detail as never);
      }
    }
  }

  #receiveError(code: string): void {
    // The frame's echo of our own `token-unavailable`, which has been reported.
    if (code === "session_ended") return;
    const detail = code === "origin_not_allowed" ? window.origin : "";
    const error = new EmbedError(code, PASSING_CODES.includes(code), detail);
    if (REMOUNT_CODES.includes(code) && (this.authorized || !this.#options.afterRefusal))
      this.#options.remount(true);
    else if (this.authorized) this.#emitError(error);
    else this.fail(error);
  }

  #useGrant({ url, token, expiresAt }: Grant): void {
    if (!this.iframe) {
      this.show("loading");
      this.load(url);
      return;
    }
    this.post({ type: "platform.embed.token-refreshed", token });
    this.#isWaiting = false;
    if (this.authorized) this.show("ready");
    this.#options.emit("platform-embed-token-refreshed", { expiresAt });
  }

  /** A frame that has not asked still has a valid token, and is left alone, unless the session is over. */
  #reportFailure(error: EmbedError): void {
    const isOver = error.code === "session_expired";
    if (this.#isWaiting || isOver)
      this.post({ type: "platform.embed.token-unavailable", retryable: error.retryable });
    if (isOver) {
      const { service, emit } = this.#options;
      this.show("ended");
      console.info(`<platform-embed> ${error.message}`);
      emit("platform-embed-session-expired", { service });
      return;
    }
    if (this.#state !== "ready" || (this.#isWaiting && !error.retryable)) this.show("error", error);
    this.#emitError(error);
  }

  /** The page has loaded but is not ours: the browser loads a page of its own when it blocks one or cannot reach it. */
  async #explainSilence(): Promise<void> {
    if (this.#state !== "loading" || this.visible) return;
    const code = await explainSilence(this.#origin, this.signal);
    this.fail(new EmbedError(code, code !== "frame_blocked", `(${this.#origin})`));
  }

  #emitError({ code, retryable, message, refusal }: EmbedError): void {
    console.warn(`<platform-embed> ${code}: ${message}`);
    this.#options.emit("platform-embed-error", { code, retryable, message, ...refusal });
  }
}

/** Browsers show no http in https, but for what runs on the machine itself. */
function isMixedContent({ protocol, hostname }: URL): boolean {
  return (
    location.protocol === "https:" && protocol === "http:" && !/^(localhost$|127\.|\[::1)/.test(hostname)
  );
}
