import type { EmbedError } from "./embed-error";

/**
 * `error` and `ended` cover the frame and do not remove it: a frame that is only late still gets to the screen, and
 * uploads go on while the session is being repaired.
 */
export type EmbedState = "loading" | "ready" | "error" | "ended";

/** What covers the frame unless it is ready: a slot for each state, with a good default in it. */
export class Overlay {
  /** a live region that stays in place, so that screen readers announce what comes into it */
  readonly element = create("div", "overlay");
  #onRetry: () => Promise<void>;

  constructor(onRetry: () => Promise<void>) {
    this.#onRetry = onRetry;
    this.element.role = "status";
  }

  show(state: EmbedState, error?: EmbedError): void {
    const slot = document.createElement("slot");
    slot.name = state;
    if (state === "loading") slot.append(...this.#skeleton());
    else if (state === "ended")
      slot.append(...this.#explain("Your session has ended", "Sign in again, then try once more."));
    else slot.append(...this.#explain("This could not be loaded", error?.message, error?.code));
    this.element.className = state;
    this.element.replaceChildren(...(state === "ready" ? [] : [slot]));
  }

  #skeleton(): HTMLElement[] {
    const rows = Array.from({ length: 6 }, () => document.createElement("i"));
    return [create("p", "announcement", "Loading…"), ...rows];
  }

  #explain(title: string, detail?: string, code?: string): HTMLElement[] {
    const button = create("button", "button", "Try again");
    button.addEventListener("click", () => this.#onRetry().catch(() => {}));
    return [create("p", "title", title), create("p", "detail", detail), create("code", "code", code), button];
  }
}

function create(tag: string, part: string, text = ""): HTMLElement {
  const element = document.createElement(tag);
  element.part = part;
  element.textContent = text;
  return element;
}
