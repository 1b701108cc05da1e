import { type Change, type Changes, nameOf } from "platform-embed-element/client";
import { IconButton } from "../../../embed/components/icons";
import { FileIcon } from "../browse/file-icon";
import { fileKind } from "../browse/file-kind";
import { focusList } from "../screen/focus-list";
import { useLanguage } from "../screen/language";
import { FailedFiles } from "../screen/problem-details";
import { useUnloadWarning } from "../screen/use-unload-warning";
import { useChangeWords } from "./change-words";

/** Long, waiting and failed changes, between the list and the status bar. */
export function ChangeList({ changes, engine }: { changes: readonly Change[]; engine: Changes }) {
  const { t } = useLanguage();
  const isBusy = changes.some(({ isLong }) => isLong);
  // Nobody continues a change after the page is gone.
  useUnloadWarning(changes.some(({ isLong, status }) => isLong && status === "running"));
  const shown = changes.filter(({ status, isLong }) => {
    // The dialog with its question is open.
    if (status === "waiting") return false;
    return status === "failed" || isLong || (isBusy && status === "queued");
  });
  if (shown.length === 0) return null;
  return (
    <section className="change-list" aria-label={t("changes.region")}>
      <ul>
        {shown.map((change) => (
          <ChangeLine key={change.id} change={change} engine={engine} />
        ))}
      </ul>
    </section>
  );
}

function ChangeLine({ change, engine }: { change: Change; engine: Changes }) {
  const { t } = useLanguage();
  const words = useChangeWords();
  const { id, status, items, failed, done, error, stepOf } = change;
  const [first] = items;
  const title = words.title(change);
  const isFailed = status === "failed";
  // Retrying does not help for objects that have changed since.
  const canRetry = isFailed && (error !== null || !stepOf);
  const total = totalOf(change);
  const keepFocus = (act: () => void) => () => {
    act();
    // The button disappears: keep keyboard users in the page.
    focusList();
  };
  return (
    <li className={`download download--${status}`}>
      <FileIcon kind={first?.type === "file" ? fileKind(first.name) : "folder"} />
      <div className="download__body">
        <p className="download__name" title={title}>
          {title}
        </p>
        <p className="download__note" role={isFailed ? "alert" : undefined}>
          {words.note(change)}
        </p>
        {isFailed && (
          <FailedFiles
            files={failed.map(({ key, code }) => ({
              id: key,
              name: nameOf(key) || key,
              why: words.failure(code),
            }))}
          />
        )}
        {status === "running" && (
          <progress className="download__progress" max={total} value={total && done} aria-label={title} />
        )}
      </div>
      {canRetry && (
        <button type="button" className="button button--small" onClick={keepFocus(() => engine.retry(id))}>
          {t("retry")}
        </button>
      )}
      {isFailed ? (
        <IconButton
          icon="close"
          label={t("changes.remove", { name: title })}
          title={t("dismiss")}
          onClick={keepFocus(() => engine.dismiss(id))}
        />
      ) : (
        <button
          type="button"
          className="button button--small"
          aria-label={t("changes.cancelName", { name: title })}
          aria-disabled={change.isStopping}
          onClick={keepFocus(() => engine.cancel(id))}
        >
          {t("changes.cancel")}
        </button>
      )}
    </li>
  );
}

/** Number of objects that a change is about; undefined while it is unknown. */
function totalOf({ unread, found, items, total, done }: Change): number | undefined {
  if (total !== null) return Math.max(total, done);
  if (unread !== null) return unread.length === 0 ? found : undefined;
  // The number of objects in folders is not known yet.
  return items.every(({ type }) => type === "file") ? items.length : undefined;
}
