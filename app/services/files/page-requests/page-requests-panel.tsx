import { useEffect } from "react";
import { FileActionBar, FileActionList, useFileActions } from "./file-actions";
import { PickerBar, type PickerBarProps } from "./picker-bar";
import type { PageRequests } from "./use-page-requests";

interface PageRequestsPanelProps extends Omit<PickerBarProps, "picker"> {
  requests: Pick<PageRequests, "picker" | "actions" | "requested" | "setRequested" | "setUnsuitable">;
  /** the folder is shown as it is now */
  isNow: boolean;
  announce(sentence: string): void;
}

/** What the embedding page asks the visitor for: the bar of the picker, the page's actions, and what becomes of them. */
export function PageRequestsPanel({ isNow, announce, ...picking }: PageRequestsPanelProps) {
  const { embeddingPage, client, list, requests } = picking;
  const { picker, requested, setRequested } = requests;
  const actions = useFileActions(embeddingPage, client.bucket, announce);
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
      {isNow && picker && <PickerBar {...picking} picker={picker} />}
    </>
  );
}
