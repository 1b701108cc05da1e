import { isRightToLeft, type Translate } from "./language";

/** Keys that do the same wherever the focus is. Type-ahead leaves them out: hardly a name begins with them. */
export const isShortcut = (key: string) => key === "?" || key === "/";

/** Keys whose names are translated. */
const named = ["Ctrl", "Shift", "Enter", "Backspace", "Delete", "Home", "End", "Space", "Esc"] as const;

/** Labels of a Mac's keys, and its own combinations for going back and deleting. */
const macSigns: Readonly<Record<string, string>> = {
  "Alt+←": "⌘[",
  "Alt+→": "⌘]",
  "Alt+↑": "⌘↑",
  Delete: "⌘⌫",
  ...{ Ctrl: "⌘", Shift: "⇧", Alt: "⌥", Enter: "↩", Backspace: "⌫", Home: "↖", End: "↘" },
};

const isMac = () => /Mac|iP(hone|ad)/.test(navigator.userAgent);

interface Keyboard {
  isMac?: boolean;
  /** the left and right arrow keys are swapped */
  isMirrored?: boolean;
}

/** Writes a key or combination (`Ctrl+A`) as it is labelled on the person's keyboard: `Strg+A`, `⌘A`. */
export function keyNames(t: Translate, keyboard: Keyboard = {}): (keys: string) => string {
  const { isMac: mac = isMac(), isMirrored = isRightToLeft() } = keyboard;
  const nameOf = (key: string) => {
    const name = named.find((one) => one === key);
    return (mac ? macSigns[key] : undefined) ?? (name ? t(`keys.${name}`) : key);
  };
  return (keys) => {
    if (isMirrored && keys === "←") return "→";
    if (isMirrored && keys === "→") return "←";
    const sign = mac ? macSigns[keys] : undefined;
    return (
      sign ??
      keys
        .split("+")
        .map(nameOf)
        .join(mac ? "" : "+")
    );
  };
}
