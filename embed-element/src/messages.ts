import type { FrameTexts } from "../protocol.js";

/**
 * The English text of the element's own states, and the accessible name of each service's frame. The other languages are
 * in the section `element` of the files in `app/locales/`.
 */
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

/** The English text of `chooseFiles()`. It is apart, so that pages without it do not load it. */
export const englishChooser = {
  chooseFile: "Choose a file",
  chooseFiles: "Choose files",
  chooseFolder: "Choose a folder",
  close: "Close",
};

export type Messages = typeof english;

/**
 * Sentences of the integrator's own. Each replaces the element's sentence of that name, in every language; `handInTitle` and `handInText` are
 * shown in the frame.
 */
export type EmbedTexts = Partial<Messages> & FrameTexts;

/** The messages of one language. */
export interface Language {
  messages: Messages;
  /** a BCP 47 language tag */
  locale: string;
  dir: string;
}
