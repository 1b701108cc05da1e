import { useEffect, useRef } from "react";
import type { EmbeddingPage } from "../../../../embed/frame/embedding-page";
import type { List } from "../folder/use-list";
import { SERVICE } from "../props";
import { FileActionBar, FileActionList } from "./file-actions";
import type { PageRequestsPanelProps } from "./panel-props";
import { PickerBar } from "./picker-bar";
import { selectedItem } from "./selected-items";
import { useFileActions } from "./use-file-actions";

/** Number of items in a message; of others the page gets the count only. */
const MAX_ITEMS = 1_000;
/** The selection changes with every row that the pointer or an arrow key passes. The page is told when it has come to rest. */
const SELECTION_DELAY_MS = 100;

/** What the embedding page asks the visitor for: the bar of the picker, the page's actions, and what becomes of them. */
export default function PageRequestsPanel(props: PageRequestsPanelProps) {
  const { client, embeddingPage, requests, list, announce } = props;
  useSelectionMessage(embeddingPage, client.bucket, list.selected);
  const actions = useFileActions(embeddingPage, client.bucket, announce);
  const { requested, setRequested } = requests;
  useEffect(() => {
    const wanted = requested.filter((one) => one.type === "action");
    if (wanted.length === 0) return;
    for (const { action, rows } of wanted) actions.run(action, rows);
    setRequested((all) => all.filter((one) => !wanted.includes(one as (typeof wanted)[number])));
  });
  return (
    <>
      <FileActionList running={actions.running} onDismiss={actions.dismiss} />
      {requests.actions.length > 0 && list.selected.length > 0 && requests.picker === null && (
        <FileActionBar actions={requests.actions} rows={list.selected} onRun={actions.run} />
      )}
      {requests.picker && <PickerBar {...props} picker={requests.picker} />}
    </>
  );
}

/** Tells the embedding page what is selected. */
function useSelectionMessage(embeddingPage: EmbeddingPage, bucket: string, selected: List["selected"]): void {
  const isFirst = useRef(true);
  useEffect(() => {
    // Nothing is selected when a page opens.
    if (isFirst.current && selected.length === 0) return;
    const timer = setTimeout(() => {
      isFirst.current = false;
      embeddingPage.post({
        type: "platform.embed.selection",
        service: SERVICE,
        items: selected.slice(0, MAX_ITEMS).map((row) => selectedItem(bucket, row)),
        count: selected.length,
      });
    }, SELECTION_DELAY_MS);
    return () => clearTimeout(timer);
  }, [embeddingPage, bucket, selected]);
}
