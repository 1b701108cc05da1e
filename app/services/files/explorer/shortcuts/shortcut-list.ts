import type { English } from "../../../../locales/translate";
import type { FileAction } from "../../actions";

type SentenceKey =
  | `shortcuts.${keyof English["files"]["shortcuts"]}`
  // As menus and fields call them.
  | `changes.${"rename" | "cut" | "clip" | "paste" | "delete" | "undo"}`
  | "look.details"
  | "search.label";

export interface Shortcut {
  does: SentenceKey;
  /** each a key or several to be held, as `keyNames` takes them: `Ctrl+A`; those beside each other do the same, or one the reverse */
  keys: readonly string[];
  /** only where the token allows it */
  needs?: FileAction;
}

export interface ShortcutGroup {
  title: SentenceKey;
  shortcuts: readonly Shortcut[];
}

/** What can be done by keys: a line for each, shown by `?`. `keyNames` writes them as they stand on the reader's keyboard. */
const groups: readonly ShortcutGroup[] = [
  {
    title: "shortcuts.moving",
    shortcuts: [
      { does: "shortcuts.open", keys: ["Enter"] },
      { does: "shortcuts.upOne", keys: ["Backspace", "←", "Alt+↑"] },
      { does: "shortcuts.intoFolder", keys: ["→"] },
      { does: "shortcuts.back", keys: ["Alt+←", "Alt+→"] },
      { does: "shortcuts.rows", keys: ["↓", "↑"] },
      { does: "shortcuts.ends", keys: ["Home", "End"] },
      { does: "look.details", keys: ["Alt+Enter"] },
      { does: "search.label", keys: ["/"] },
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
  {
    title: "shortcuts.changing",
    shortcuts: [
      { does: "changes.rename", keys: ["F2"], needs: "organize" },
      { does: "changes.cut", keys: ["Ctrl+X"], needs: "organize" },
      { does: "changes.clip", keys: ["Ctrl+C"], needs: "organize" },
      { does: "changes.paste", keys: ["Ctrl+V"], needs: "organize" },
      { does: "changes.delete", keys: ["Delete"], needs: "delete" },
      { does: "changes.undo", keys: ["Ctrl+Z"], needs: "delete" },
    ],
  },
];

/** Those that a token with these actions has a use for. */
export function shortcutGroupsFor(actions: readonly FileAction[]): ShortcutGroup[] {
  return groups
    .map(({ title, shortcuts }) => ({
      title,
      shortcuts: shortcuts.filter(({ needs }) => needs === undefined || actions.includes(needs)),
    }))
    .filter(({ shortcuts }) => shortcuts.length > 0);
}
