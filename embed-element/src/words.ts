/** What a person reads in the element's own states, and hears as the name of a service's frame. Of the other languages, `app/locales/` has them as the section `element`. */
export const english = {
  loading: "Loading…",
  retry: "Try again",
  ended: "Your session has ended",
  endedText: "Sign in again, then try once more.",
  failed: "This could not be loaded",
  failedText: "Reload the page, or tell whoever runs it.",
  passing: "We keep trying.",
  offline: "You are offline",
  filesTitle: "Embedded files",
};

/** An integrator's own words, each in the place of the element's, whatever the language is. */
export type EmbedTexts = Partial<typeof english>;

/** The words of one language. */
export interface Language {
  sentences: typeof english;
  locale: string;
  dir: string;
}

export const inEnglish: Language = { sentences: english, locale: "en", dir: "ltr" };

/** The language of `locale`, a BCP 47 tag as anybody may have written it. English where there is no other; it never rejects. */
export type FindLanguage = (locale: string) => Promise<Language>;
