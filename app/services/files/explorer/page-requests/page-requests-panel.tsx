import { useEffect } from "react";
import { FileActionBar, FileActionList } from "./file-actions";
import type { PageRequestsPanelProps } from "./panel-props";
import { PickerBar } from "./picker-bar";
import { useFileActions } from "./use-file-actions";

/** What the embedding page asks the visitor for: the bar of the picker, the page's actions, and what becomes of them. */
export default function PageRequestsPanel(props: PageRequestsPanelProps) {
  const { client, embeddingPage, requests, list, isNow, announce } = props;
  const { picker } = requests;
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
      {isNow && picker === null && list.selected.length > 0 && (
        <FileActionBar actions={requests.actions} rows={list.selected} onRun={actions.run} />
      )}
      {isNow && picker && <PickerBar {...props} picker={picker} />}
    </>
  );
}
