import { useRef } from "react";
import { foldName } from "../../fold-name";

/** Letters typed within this time of each other make one word, milliseconds. */
const TYPING_PAUSE = 700;

/** Finds an item by the letters typed: a function from the next letter and the place now to the index of the item, or -1. */
export function useTypeAhead(items: { name: string }[]): (letter: string, active: number) => number {
  const typed = useRef({ text: "", at: 0 });
  return (letter, active) => {
    const now = performance.now();
    const before = now - typed.current.at < TYPING_PAUSE ? typed.current.text : "";
    const text = before + letter;
    typed.current = { text, at: now };
    return findByPrefix(items, text, before === "" ? active + 1 : active);
  };
}

/** The first item from `start` on, and round to it again, whose name begins with `prefix`; -1 when there is none. */
export function findByPrefix(items: { name: string }[], prefix: string, start: number): number {
  const wanted = foldName(prefix);
  for (let step = 0; step < items.length; step++) {
    const index = (start + step) % items.length;
    if (foldName(items[index]?.name ?? "").startsWith(wanted)) return index;
  }
  return -1;
}
