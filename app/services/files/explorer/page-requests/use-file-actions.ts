import { useEffect, useRef, useState } from "react";
import type { FileAction, FileActionProgressMessage } from "../../../../../embed-element/protocol";
import type { EmbeddingPage } from "../../../../embed/frame/embedding-page";
import type { Row } from "../folder/folder-state";
import { useLanguage } from "../language";
import { SERVICE } from "../props";
import { selectedItem } from "./selected-items";

const MAX_TEXT_LENGTH = 200;

/** An action of the page that it has reported on. */
export interface RunningAction {
  id: number;
  label: string;
  state: FileActionProgressMessage["state"];
  /** 0 to 1; undefined: unknown */
  progress: number | undefined;
  /** the page's own words */
  text: string | undefined;
}

/** Runs the embedding page's actions: posts them to the page, and keeps what it says of them until the visitor dismisses it. */
export function useFileActions(
  embeddingPage: EmbeddingPage,
  bucket: string,
  announce: (sentence: string) => void,
) {
  const { t } = useLanguage();
  const [running, setRunning] = useState<readonly RunningAction[]>([]);
  const labels = useRef(new Map<number, string>());
  const nextId = useRef(1);
  const onProgress = ({ id, state, progress, text }: FileActionProgressMessage) => {
    const label = labels.current.get(id);
    if (label === undefined) return;
    if (state !== "running") {
      labels.current.delete(id);
      announce(t(`pageActions.${state}`, { action: label }));
    }
    const entry = {
      id,
      label,
      state,
      progress: progress === undefined ? undefined : Math.min(Math.max(progress, 0), 1),
      text: text?.slice(0, MAX_TEXT_LENGTH),
    };
    setRunning((all) =>
      all.some((one) => one.id === id) ? all.map((one) => (one.id === id ? entry : one)) : [...all, entry],
    );
  };
  const latest = useRef(onProgress);
  latest.current = onProgress;
  useEffect(
    () =>
      embeddingPage.listen((message) => {
        if (message.type === "platform.embed.file-action-progress") latest.current(message);
      }),
    [embeddingPage],
  );
  return {
    running,
    run(action: FileAction, rows: readonly Row[]) {
      const id = nextId.current++;
      labels.current.set(id, action.label);
      const items = rows.map((row) => selectedItem(bucket, row));
      embeddingPage.post({
        type: "platform.embed.file-action",
        service: SERVICE,
        id,
        action: action.id,
        items,
      });
    },
    /** The visitor needs to see no more of it. The page's work goes on. */
    dismiss(id: number) {
      labels.current.delete(id);
      setRunning((all) => all.filter((one) => one.id !== id));
    },
  };
}
