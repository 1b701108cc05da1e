import { html, nothing, type TemplateResult } from "lit";
import type { EmbedError } from "./embed-error.js";
import type { Language, Messages } from "./messages.js";

/**
 * What the element shows. `error` and `ended` cover the frame without removing it: a frame that is only late can still
 * appear, and uploads continue while the visitor signs in again.
 */
export type EmbedState = "loading" | "ready" | "error" | "ended";

interface OverlayOptions {
  /** `ready` covers nothing */
  state: EmbedState;
  error: EmbedError | null;
  /** null while it is being loaded: text waits for it, so that a screen reader does not read English first */
  language: Language | null;
  onRetry: () => void;
}

/**
 * Covers the frame unless it is ready: a slot for each state, with default content. The element is a live region and is
 * never replaced, so that screen readers announce what is put into it.
 */
export function renderOverlay({ state, error, language, onRetry }: OverlayOptions): TemplateResult {
  let content: unknown = nothing;
  if (state === "loading") content = renderSkeleton(language?.messages);
  else if (state !== "ready")
    content = html`<slot name=${state}>${language && renderProblem(language.messages, error, onRetry)}</slot>`;
  return html`
    <div part="overlay" class=${state} role="status" lang=${language?.locale ?? nothing} dir=${language?.dir ?? nothing}>
      ${content}
    </div>
  `;
}

function renderSkeleton(messages: Messages | undefined): TemplateResult {
  return html`
    <slot name="loading">
      <i></i><i></i><i></i><i></i><i></i><i></i>
      <p class="visually-hidden">${messages?.loading}</p>
    </slot>
  `;
}

/** What the visitor can do. What the integrator can do is in the error's message. Without an error the session has ended. */
function renderProblem(messages: Messages, error: EmbedError | null, onRetry: () => void): TemplateResult {
  let title = messages.ended;
  let detail = messages.endedText;
  if (error) {
    title = navigator.onLine ? messages.failed : messages.offline;
    detail = error.retryable ? messages.passing : messages.failedText;
  }
  return html`
    <p part="title">${title}</p>
    <p part="detail">${detail}</p>
    <button part="button" @click=${onRetry}>${messages.retry}</button>
  `;
}
