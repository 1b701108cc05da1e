/** Everything in Unicode's category Cc but tabs and line breaks. A carriage return alone would let a text overwrite its line. */
const CONTROLS = /(?!\r\n)[^\P{Cc}\t\n]/gu;

/**
 * A text that others may have written part of, as a terminal may show it. Terminals obey control characters: these can hide what was
 * printed, change the window's title or the clipboard. So they are written as `\u001b`, which in JSON means the same.
 */
export const forTerminal = (text: string): string =>
  text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
