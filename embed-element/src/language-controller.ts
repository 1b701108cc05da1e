import type { ReactiveController, ReactiveControllerHost } from "lit";
import { loadLanguages } from "./load-languages.js";
import { type EmbedTexts, english, type Language } from "./messages.js";

/** How long to wait for the module with the other languages before falling back to English. */
const LOAD_TIMEOUT_MS = 2_000;

const inEnglish: Language = { messages: english, locale: "en", dir: "ltr" };

interface LanguageHost extends ReactiveControllerHost {
  locale: string | null;
  texts: EmbedTexts | null;
}

/** Provides the messages of the host's `locale`, and renders the host again when they have been loaded. */
export class LanguageController implements ReactiveController {
  #host: LanguageHost;
  #language: Language | null = null;
  #requested: string | null = null;

  constructor(host: LanguageHost) {
    this.#host = host;
    host.addController(this);
  }

  /** With the integrator's own texts in it; null until the first language has been loaded. */
  get current(): Language | null {
    return (
      this.#language && { ...this.#language, messages: { ...this.#language.messages, ...this.#host.texts } }
    );
  }

  /** The language that the host or its document asks for; empty if neither says. */
  get locale(): string {
    return this.#host.locale || document.documentElement.lang;
  }

  hostUpdate(): void {
    const locale = this.locale || navigator.language;
    if (locale !== this.#requested) this.#load(locale);
  }

  async #load(locale: string): Promise<void> {
    this.#requested = locale;
    const language = await findLanguage(locale);
    // The locale may have changed in the meantime.
    if (locale !== this.#requested) return;
    this.#language = language;
    this.#host.requestUpdate();
  }
}

/** The closest language to `locale`. English if there is none, if `locale` is not a BCP 47 tag, or if loading fails. */
export async function findLanguage(locale: string): Promise<Language> {
  try {
    const { language, script } = new Intl.Locale(locale).maximize();
    if (language === "en") return inEnglish;
    const timeout = new Promise<never>((_, reject) => setTimeout(reject, LOAD_TIMEOUT_MS));
    const { languages } = await Promise.race([loadLanguages(), timeout]);
    return languages[`${language}-${script}`] ?? inEnglish;
  } catch {
    return inEnglish;
  }
}
