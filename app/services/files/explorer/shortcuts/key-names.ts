import type { Translate } from "../language";
import { isRightToLeft } from "../reading-direction";

/** The keys that some languages have other words for. */
const named = ["Ctrl", "Shift", "Enter", "Backspace", "Delete", "Home", "End", "Space", "Esc"] as const;

/** What stands on a Mac's keys. It goes back by the command key and a bracket, and deletes by it and Backspace. */
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
  /** folders are then entered to the left, as the list has it */
  isMirrored?: boolean;
}

/** Writes a key, or several to be held (`Ctrl+A`), as they stand on the reader's keyboard: `Strg+A`, `⌘A`. */
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
