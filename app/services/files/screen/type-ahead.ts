import { foldName } from "../../../shared/fold-name";

/** Letters typed within this time of each other form one prefix. */
const TYPING_PAUSE_MS = 700;

interface Named {
  name: string;
}

/** Finds an item by the first letters of its name. */
export class TypeAhead {
  #text = "";
  #typedAt = 0;
  /** index of the item found last */
  #index = -1;

  /** Whether `key` continues or starts a prefix. Space only continues one. @param active index of the focused item */
  takes(key: string, active: number): boolean {
    return key.length === 1 && (key !== " " || this.#textAt(active) !== "");
  }

  /** Adds a letter. @returns the index of the item found, or -1 */
  find(items: readonly Named[], letter: string, active: number): number {
    const before = this.#textAt(active);
    this.#text = before + letter;
    this.#typedAt = performance.now();
    const found = findByPrefix(items, this.#text, before === "" ? active + 1 : active);
    this.#index = found === -1 ? active : found;
    return found;
  }

  /** The prefix typed so far; empty after a pause, or when the focus has moved in another way. */
  #textAt(active: number): string {
    const isGoingOn = performance.now() - this.#typedAt < TYPING_PAUSE_MS && this.#index === active;
    return isGoingOn ? this.#text : "";
  }
}

/** Searches from `start` to the end, then from the beginning; -1 if nothing is found. */
function findByPrefix(items: readonly Named[], prefix: string, start: number): number {
  const wanted = foldName(prefix);
  for (let step = 0; step < items.length; step++) {
    const index = (start + step) % items.length;
    if (foldName(items[index]?.name ?? "").startsWith(wanted)) return index;
  }
  return -1;
}
