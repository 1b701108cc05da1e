import type { ChosenItem, EmbedAppearance, EmbedTheme, PickerMode } from "../protocol.js";
import { findLanguage } from "./language-controller.js";
import { type EmbedTexts, englishChooser } from "./messages.js";
import type { FetchToken } from "./request-token.js";

/** Members of the element that the dialog sets; `tokenEndpoint`, `fetchToken` or `src` is needed. */
export interface ChooseFilesOptions {
  /** `file` (default): one file; `files`: one file or several; `folder`: one folder */
  picker?: PickerMode;
  /** the files that may be chosen, as in `<input accept>`: `image/*,.pdf` */
  accept?: string;
  scope?: unknown;
  tokenEndpoint?: string;
  fetchToken?: FetchToken;
  src?: string;
  path?: string;
  theme?: EmbedTheme;
  locale?: string;
  appearance?: EmbedAppearance;
  texts?: EmbedTexts;
  /** the dialog's title; default: "Choose a file" in the visitor's language */
  title?: string;
  /** closes the dialog when it is aborted */
  signal?: AbortSignal;
}

const titles = {
  file: "chooseFile",
  files: "chooseFiles",
  folder: "chooseFolder",
} as const satisfies Record<PickerMode, keyof typeof englishChooser>;

const styles = `
  dialog {
    display: flex; flex-direction: column; gap: 0.75rem; box-sizing: border-box;
    width: min(60rem, 100% - 2rem); height: min(44rem, 100% - 2rem); max-width: none; max-height: none;
    padding: 1rem; border: 0; border-radius: 12px; color: CanvasText; background: Canvas;
    font: 1rem/1.5 var(--platform-embed-font, system-ui), sans-serif;
    box-shadow: 0 1rem 4rem rgb(0 0 0 / 0.3);
  }
  dialog::backdrop { background: rgb(0 0 0 / 0.5); }
  .head { display: flex; gap: 1rem; align-items: center; justify-content: space-between; }
  h2 { margin: 0; font-size: 1.125rem; overflow-wrap: anywhere; }
  button {
    flex: none; width: 2.5rem; height: 2.5rem; border: 0; border-radius: 8px; color: inherit; background: none;
    font: 1.5rem/1 system-ui; cursor: pointer;
  }
  button:hover { background: rgb(128 128 128 / 0.2); }
  button:focus-visible { outline: 2px solid; }
  div { flex: 1; min-height: 0; }
  @media (max-width: 40rem) { dialog { width: 100%; height: 100%; border-radius: 0; } }
`;

/**
 * Opens a dialog in which the visitor chooses files or a folder.
 * @returns what was chosen; null if the visitor closed the dialog
 * @throws the reason of `signal`, if it is aborted
 */
export async function chooseFiles({
  picker = "file",
  title,
  signal,
  ...properties
}: ChooseFilesOptions): Promise<ChosenItem[] | null> {
  signal?.throwIfAborted();
  const { locale = document.documentElement.lang, theme = "auto" } = properties;
  const { messages, dir, locale: lang } = await findLanguage(locale || navigator.language);
  signal?.throwIfAborted();
  const words = { ...englishChooser, ...messages };

  // In a shadow root the page's style sheets do not reach the dialog, and the page's content security policy allows its style sheet.
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  const dialog = document.createElement("dialog");
  const header = document.createElement("div");
  const heading = document.createElement("h2");
  const close = document.createElement("button");
  const body = document.createElement("div");
  const embed = Object.assign(document.createElement("platform-embed"), properties, { picker });
  heading.textContent = title ?? words[titles[picker]];
  header.className = "head";
  heading.id = "title";
  close.type = "button";
  close.textContent = "×";
  close.ariaLabel = words.close;
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.lang = lang;
  dialog.dir = dir;
  dialog.style.colorScheme = theme === "auto" ? "light dark" : theme;
  header.append(heading, close);
  body.append(embed);
  dialog.append(header, body);
  root.append(dialog);
  document.body.append(host);

  // The browser keeps the focus in a modal dialog, and returns it when the dialog is closed.
  dialog.showModal();
  const ended = new AbortController();
  try {
    return await new Promise((resolve, reject) => {
      const options = { signal: ended.signal };
      embed.addEventListener("platform-embed-choose", ({ detail }) => resolve(detail.items), options);
      embed.addEventListener("platform-embed-choose-cancel", () => resolve(null), options);
      close.addEventListener("click", () => resolve(null), options);
      dialog.addEventListener("close", () => resolve(null), options);
      signal?.addEventListener("abort", () => reject(signal.reason), options);
    });
  } finally {
    ended.abort();
    dialog.close();
    host.remove();
  }
}
