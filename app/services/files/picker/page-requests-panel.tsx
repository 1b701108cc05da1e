import { useEffect } from "react";
import type { ExplorerState } from "../explorer/use-explorer";
import { FileActionBar, FileActionList, useFileActions } from "./file-actions";
import { PickerBar, type PickerBarProps } from "./picker-bar";

interface PageRequestsPanelProps {
  explorer: PickerBarProps["explorer"] & Pick<ExplorerState, "announce">;
}

/** What the embedding page asks the visitor for: the bar of the picker, the page's actions, and what becomes of them. */
export default function PageRequestsPanel({ explorer }: PageRequestsPanelProps) {
  const { folder, list, requests } = explorer;
  const { picker, requested, setRequested } = requests;
  const isNow = folder.time.kind === "now";
  const actions = useFileActions(explorer);
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
      {isNow && picker && <PickerBar explorer={explorer} picker={picker} />}
    </>
  );
}
