import type { Row } from "platform-embed-element/client";
import { useEffect, useState } from "react";
import type { FileAction, PickerSettings } from "../../../../embed-element/protocol";
import type { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";

/** What the visitor has asked for, and the panel has not taken up yet. */
type PageRequest =
  | { type: "choose"; rows: readonly Row[] }
  | { type: "action"; action: FileAction; rows: readonly Row[] };

const noActions: readonly FileAction[] = [];
const noIds: ReadonlySet<string> = new Set();

export type PageRequests = ReturnType<typeof usePageRequests>;

/**
 * What the embedding page wants of the visitor: to choose files (`picker`), or actions of its own. The code that carries it out is loaded
 * when it is first needed.
 */
export function usePageRequests(embeddingPage: EmbeddingPage) {
  const [picker, setPicker] = useState<PickerSettings | null>(null);
  const [actions, setActions] = useState(noActions);
  const [requested, setRequested] = useState<readonly PageRequest[]>([]);
  const [hasGivenUp, setHasGivenUp] = useState(false);
  /** ids of rows that may not be chosen */
  const [unsuitable, setUnsuitable] = useState(noIds);
  useEffect(
    () =>
      embeddingPage.listen((message) => {
        if (message.type !== "platform.embed.configure") return;
        if (message.picker !== undefined) setPicker(message.picker);
        if (message.fileActions !== undefined) setActions(message.fileActions ?? noActions);
      }),
    [embeddingPage],
  );
  const request = (one: PageRequest) => setRequested((before) => [...before, one]);
  return {
    /** null: the visitor manages files */
    picker,
    actions,
    requested,
    setRequested,
    unsuitable,
    setUnsuitable,
    choose: (rows: readonly Row[]) => request({ type: "choose", rows }),
    run: (action: FileAction, rows: readonly Row[]) => request({ type: "action", action, rows }),
    /** The panel could not be loaded. */
    giveUp: () => setHasGivenUp(true),
    needsPanel: !hasGivenUp && (picker !== null || actions.length > 0),
  };
}
