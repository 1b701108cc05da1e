import { lastSegment } from "../folder/crumbs";
import { useLanguage } from "../language";
import { problemText } from "../problem-details";
import type { Change } from "./change";

const failures = ["not_found", "name_taken", "name_too_long", "upload_conflict"] as const;

/** What is said of changes: while they run, when they fail, and once they are done. */
export function useChangeWords() {
  const { t } = useLanguage();
  const folderName = (path: string) => (path === "/" ? t("root") : lastSegment(path));
  const valuesOf = ({ items, to, name = "" }: Change) => ({
    count: items.length,
    name: items[0]?.name ?? "",
    folder: folderName(to),
    newName: name,
  });
  const failure = (code: string) => {
    const known = failures.find((one) => one === code);
    return t(`changes.failures.${known ?? "failed"}`);
  };
  return {
    folderName,
    failure,
    title: (change: Change) => t(`changes.doing.${change.action}`, valuesOf(change)),
    /** once it has ended well */
    done: (change: Change) => t(`changes.done.${change.action}`, valuesOf(change)),
    cancelled: ({ done }: Change) =>
      done === 0 ? t("changes.cancelledAtOnce") : t("changes.cancelled", { count: done }),
    note(change: Change) {
      const { status, problem, failed, done, isStopping, isInterrupted } = change;
      if (status === "failed") {
        if (problem?.details.said === "name_taken") return failure("name_taken");
        if (problem) return problemText(t, problem.code);
        return t("changes.failed", { count: failed.length });
      }
      if (status === "waiting") return t("changes.waiting");
      if (isStopping) return t("changes.stopping");
      if (isInterrupted) return t("changes.interrupted");
      return done === 0 ? t("changes.starting") : t("changes.doneSoFar", { count: done });
    },
  };
}
