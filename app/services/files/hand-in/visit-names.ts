import { joinPath } from "platform-embed-element/client";
import { NumberedNames } from "../../../../embed-element/shared/numbered-name";

/**
 * The names of one visit. A phone calls every photo that it takes `image.jpg`: the second one becomes `image (1).jpg`, so that a person
 * can tell them apart.
 */
export class VisitNames {
  readonly #taken = new Set<string>();
  readonly #numbers = new NumberedNames();

  /** The name, or the next numbered one that this visit has not used yet. A used name is never free again. */
  take(folderPath: string, name: string): string {
    const pathOf = (name: string) => joinPath(folderPath, name);
    const isTaken = (name: string) => this.#taken.has(pathOf(name));
    const free = isTaken(name) ? this.#numbers.next(name, isTaken, pathOf) : name;
    this.#taken.add(pathOf(free));
    return free;
  }
}
