import type { EmbedError } from "./embed-error";
import { findLanguage } from "./find-language";
import { type EmbedTexts, inEnglish, type Language } from "./words";

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
  /** what is said, and in which language; it may still be on its way */
  language: Promise<Language> = Promise.resolve(inEnglish);
  #shown: [state: EmbedState, error?: EmbedError] = ["ready"];

  constructor(onRetry: () => Promise<void>) {
    this.#onRetry = onRetry;
    this.element.role = "status";
  }

  /** Says what is shown, and whatever comes, in the language of `locale`, or by the integrator's own `texts`. */
  speak(locale: string, texts: EmbedTexts | null): void {
    this.language = findLanguage(locale).then((language) => ({
      ...language,
      sentences: { ...language.sentences, ...texts },
    }));
    this.show(...this.#shown);
  }

  /** What has to be read comes with its language, and not before in English: a screen reader says it once. */
  async show(...shown: [state: EmbedState, error?: EmbedError]): Promise<void> {
    const [state, error] = shown;
    const { element } = this;
    this.#shown = shown;
    const slot = document.createElement("slot");
    slot.name = state;
    if (state === "loading") slot.append(...Array.from({ length: 6 }, () => document.createElement("i")));
    element.className = state;
    element.replaceChildren(...(state === "ready" ? [] : [slot]));
    const { sentences, locale, dir } = await this.language;
    if (this.#shown !== shown) return;
    element.lang = locale;
    element.dir = dir;
    if (state === "loading") slot.append(create("p", "announcement", sentences.loading));
    else slot.append(...this.#explain(sentences, error));
  }

  /** What a person can do, of a session that has ended if there is no error. What an integrator can do is in the error's message. */
  #explain(words: typeof inEnglish.sentences, error?: EmbedError): HTMLElement[] {
    const title = error ? (navigator.onLine ? words.failed : words.offline) : words.ended;
    const detail = error ? (error.retryable ? words.passing : words.failedText) : words.endedText;
    const button = create("button", "button", words.retry);
    button.addEventListener("click", () => this.#onRetry().catch(() => {}));
    return [create("p", "title", title), create("p", "detail", detail), button];
  }
}

function create(tag: string, part: string, text = ""): HTMLElement {
  const element = document.createElement(tag);
  element.part = part;
  element.textContent = text;
  return element;
}
