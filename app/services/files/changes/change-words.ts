import { type Change, hasChosen } from "platform-embed-element/client";
import { useMemo } from "react";
import { useFolderName } from "../screen/folder-name";
import { type Translate, useLanguage } from "../screen/language";
import { problemText } from "../screen/problem-details";
import type { ChangeResult } from "./use-change-commands";

const failures = [
  "not_found",
  "name_taken",
  "name_too_long",
  "too_large",
  "quota_exceeded",
  "upload_conflict",
  "being_checked",
  "blocked",
  "changed",
  "not_empty",
  "would_be_lost",
  "is_latest",
] as const;

/** Undo and redo steps use the messages of the action that they reverse. */
function messageAction(action: Change["action"]) {
  switch (action) {
    case "rename":
    case "move":
    case "copy":
    case "restore":
    case "purge":
      return action;
    default:
      return "delete";
  }
}

/** Sentences about changes: while they run, when they fail, and when they are done. */
export function useChangeWords() {
  const { t } = useLanguage();
  const folderName = useFolderName();
  return useMemo(() => changeWords(t, folderName), [t, folderName]);
}

function changeWords(t: Translate, folderName: (path: string) => string) {
  const valuesOf = ({ items, to, name = "" }: Change) => ({
    count: items.length,
    name: items[0]?.type === "folder" ? folderName(items[0].path) : (items[0]?.name ?? ""),
    folder: folderName(to),
    newName: name,
  });
  const failure = (code: string) => {
    const known = failures.find((one) => one === code);
    return t(`changes.failures.${known ?? "failed"}`);
  };
  const done = (change: Change): string => {
    const { action, stepOf, done: count } = change;
    // An undo step is another kind of action, but its message names the original change.
    if (action === "create-folder" && !stepOf) return t("changes.folderMade", valuesOf(change));
    if (action === "restore" || action === "purge")
      return count === 0 ? t("changes.nothingChanged") : t(`changes.done.${action}`, { count });
    if (action === "delete" && !stepOf && count === 0) {
      if (change.items.length > 1) return t("changes.nothingChanged");
      return `${valuesOf(change).name} · ${failure("not_found")}`;
    }
    if (!stepOf) return t(`changes.done.${messageAction(action)}`, valuesOf(change));
    const { way, change: original } = stepOf;
    const left = action === "remove-created" ? original.done - count : 0;
    const parts = [
      t(way === "undo" ? "changes.undone" : "changes.redone", { change: done(original) }),
      way === "undo" &&
        hasChosen(original, "replace") &&
        original.action !== "restore" &&
        t("changes.replacedIsGone"),
      left > 0 && t("changes.failed", { count: left }),
    ];
    return parts.filter(Boolean).join(" · ");
  };
  const title = (change: Change): string => {
    const { stepOf, action } = change;
    if (!stepOf) return t(`changes.doing.${messageAction(action)}`, valuesOf(change));
    return t(stepOf.way === "undo" ? "changes.undoing" : "changes.redoing", { change: done(stepOf.change) });
  };
  const note = (change: Change): string => {
    const { status, error, failed, done, found, total, isStopping, isRetrying } = change;
    if (status === "failed") {
      if (error?.code === "name_taken" || error?.code === "upload_conflict") return failure(error.code);
      if (error) return problemText(t, error);
      return t("changes.failed", { count: failed.length });
    }
    if (status === "queued") return t("changes.waiting");
    if (isStopping) return t("changes.stopping");
    if (isRetrying) return t(navigator.onLine ? "changes.interrupted" : "uploads.problems.offline");
    if (done === 0 && found > 0) return t("changes.found", { count: found });
    if (done === 0) return t("changes.starting");
    return total === null
      ? t("changes.doneSoFar", { count: done })
      : t("progress", { sent: done, total: Math.max(total, done) });
  };
  return {
    failure,
    title,
    note,
    /** What a notice and a screen reader say. Undefined if the person is told elsewhere. */
    result(result: ChangeResult): string | undefined {
      if (result.status === "nothing")
        return t(result.way === "undo" ? "changes.nothingToUndo" : "changes.nothingToRedo");
      if (result.status === "impossible") return t("changes.cannotBeUndone", { change: done(result.change) });
      const { change } = result;
      if (change.status === "done") return done(change);
      if (change.status === "cancelled")
        return change.done === 0
          ? t("changes.cancelledAtOnce")
          : t("changes.cancelled", { count: change.done });
      // The field in which the person renames shows it.
      if (change.error?.code === "name_taken" && !change.stepOf) return undefined;
      return note(change);
    },
  };
}
