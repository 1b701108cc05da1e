import { joinPath } from "platform-embed-element/client";
import { numberedName } from "../../../../embed-element/shared/numbered-name";

/**
 * The names of one visit. A phone calls every photo that it takes `image.jpg`: the second one becomes `image (1).jpg`, so that a person
 * can tell them apart.
 */
export class VisitNames {
  #taken = new Set<string>();

  /** The name, or the next numbered one that this visit has not used yet. A used name is never free again. */
  take(folderPath: string, name: string): string {
    let free = name;
    while (this.#taken.has(joinPath(folderPath, free))) free = numberedName(free);
    this.#taken.add(joinPath(folderPath, free));
    return free;
  }
}
