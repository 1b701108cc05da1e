import { joinPath } from "platform-embed-element/client";
import { numberedName } from "../../../../embed-element/shared/numbered-name";
import type { UploadGate } from "../uploads/transfers/upload-queue";

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

  /**
   * A gate whose renamed files get names of their own, too.
   * @param createGate is called for the first question: the server renders the page, and has no messages
   */
  guard(createGate: () => UploadGate): UploadGate {
    let gate: UploadGate | undefined;
    return {
      ask: (files, decide) => {
        gate ??= createGate();
        return gate.ask(files, (decisions) =>
          decide(
            decisions.map((decision) => {
              const file = files[decision.index];
              if (decision.name === undefined || decision.name === file?.name || !file) return decision;
              return { ...decision, name: this.take(file.folderPath, decision.name) };
            }),
          ),
        );
      },
    };
  }
}
