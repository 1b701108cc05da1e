import type { English } from "../../../../locales/translate";

type SentenceKey = `shortcuts.${keyof English["files"]["shortcuts"]}`;

export interface Shortcut {
  does: SentenceKey;
  /** each a key or several to be held, as the keyboard has them: `Ctrl+A`; those beside each other do the same, or one the reverse */
  keys: readonly string[];
}

export interface ShortcutGroup {
  title: SentenceKey;
  shortcuts: readonly Shortcut[];
}

/** What can be done by keys: a line for each, shown by `?`. Keys of a Mac are written by the sheet. */
export const shortcutGroups: readonly ShortcutGroup[] = [
  {
    title: "shortcuts.moving",
    shortcuts: [
      { does: "shortcuts.open", keys: ["Enter"] },
      { does: "shortcuts.upOne", keys: ["Backspace", "←", "Alt+↑"] },
      { does: "shortcuts.intoFolder", keys: ["→"] },
      { does: "shortcuts.back", keys: ["Alt+←", "Alt+→"] },
      { does: "shortcuts.rows", keys: ["↓", "↑"] },
      { does: "shortcuts.ends", keys: ["Home", "End"] },
      { does: "shortcuts.filter", keys: ["/"] },
      { does: "shortcuts.help", keys: ["?"] },
    ],
  },
  {
    title: "shortcuts.selecting",
    shortcuts: [
      { does: "shortcuts.toggle", keys: ["Space"] },
      { does: "shortcuts.range", keys: ["Shift+↓", "Shift+↑"] },
      { does: "shortcuts.all", keys: ["Ctrl+A"] },
      { does: "shortcuts.none", keys: ["Esc"] },
    ],
  },
];
