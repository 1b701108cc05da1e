import { foldName } from "../../fold-name";

/** Letters typed within this time of each other make one word, milliseconds. */
const TYPING_PAUSE = 700;

interface Named {
  name: string;
}

/** Finds an item by the letters typed. */
export class TypeAhead {
  #text = "";
  #typedAt = 0;
  /** where it has led */
  #index = -1;

  /** Whether `key`, pressed on the item at `active`, is a letter of a name. Space is one within a name that is being typed, and nowhere else. */
  takes(key: string, active: number): boolean {
    return key.length === 1 && (key !== " " || this.#textAt(active) !== "");
  }

  /** The index of the item that the next letter leads to, or -1. */
  find(items: readonly Named[], letter: string, active: number): number {
    const before = this.#textAt(active);
    this.#text = before + letter;
    this.#typedAt = performance.now();
    const found = findByPrefix(items, this.#text, before === "" ? active + 1 : active);
    this.#index = found === -1 ? active : found;
    return found;
  }

  /** What has been typed of a name: nothing after a pause, or where another key or a click has led elsewhere. */
  #textAt(active: number): string {
    const isGoingOn = performance.now() - this.#typedAt < TYPING_PAUSE && this.#index === active;
    return isGoingOn ? this.#text : "";
  }
}

/** The first item from `start` on, and round to it again, whose name begins with `prefix`; -1 when there is none. */
function findByPrefix(items: readonly Named[], prefix: string, start: number): number {
  const wanted = foldName(prefix);
  for (let step = 0; step < items.length; step++) {
    const index = (start + step) % items.length;
    if (foldName(items[index]?.name ?? "").startsWith(wanted)) return index;
  }
  return -1;
}
