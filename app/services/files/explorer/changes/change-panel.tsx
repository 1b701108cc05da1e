import type { MouseEvent } from "react";
import { fileKind } from "../file-kind";
import { IconButton } from "../icon-button";
import { FileIcon } from "../icons";
import { useLanguage } from "../language";
import type { Change } from "./change";
import type { ChangeQueue } from "./change-queue";
import { useChangeWords } from "./use-change-words";

/** So many failed objects are listed; the others are counted. */
const MOST_FAILURES = 20;

/** Changes that take a while, wait for others or have failed, between the list and the status bar. */
export function ChangePanel({ changes, queue }: { changes: readonly Change[]; queue: ChangeQueue }) {
  const { t } = useLanguage();
  const isBusy = changes.some(({ isLong }) => isLong);
  const shown = changes.filter(({ status, isLong }) => {
    // Nothing happens until its question has been answered, and nothing may say that it does.
    if (status === "asking") return false;
    return status === "failed" || isLong || (isBusy && status === "waiting");
  });
  if (shown.length === 0) return null;
  return (
    <section className="downloads" aria-label={t("changes.region")}>
      <ul className="downloads__list">
        {shown.map((change) => (
          <ChangeLine key={change.id} change={change} queue={queue} />
        ))}
      </ul>
    </section>
  );
}

function ChangeLine({ change, queue }: { change: Change; queue: ChangeQueue }) {
  const { t } = useLanguage();
  const words = useChangeWords();
  const { id, status, items, failed, done } = change;
  const [first] = items;
  const title = words.title(change);
  const isFailed = status === "failed";
  // How many objects folders hold, nobody knows beforehand.
  const total = items.every(({ type }) => type === "file") ? items.length : undefined;
  const keepFocus = (act: () => void) => (event: MouseEvent<HTMLButtonElement>) => {
    const explorer = event.currentTarget.closest(".explorer");
    act();
    // The button is gone, or about to be: whoever uses the keyboard goes on at the list.
    explorer?.querySelector<HTMLElement>(".main")?.focus();
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
        {isFailed && failed.length > 0 && (
          <ul className="change-failures">
            {failed.slice(0, MOST_FAILURES).map(({ key, code }) => (
              <li key={key}>
                <bdi>{key.slice(key.lastIndexOf("/") + 1) || key}</bdi> {words.failure(code)}
              </li>
            ))}
            {failed.length > MOST_FAILURES && (
              <li>{t("changes.andMore", { count: failed.length - MOST_FAILURES })}</li>
            )}
          </ul>
        )}
        {status === "running" && (
          <progress className="download__progress" max={total} value={total && done} aria-label={title} />
        )}
      </div>
      {isFailed && (
        <button type="button" className="button button--small" onClick={keepFocus(() => queue.retry(id))}>
          {t("retry")}
        </button>
      )}
      {isFailed ? (
        <IconButton
          icon="close"
          label={t("changes.remove", { name: title })}
          title={t("dismiss")}
          onClick={keepFocus(() => queue.dismiss(id))}
        />
      ) : (
        <button
          type="button"
          className="button button--small"
          aria-label={t("changes.cancelName", { name: title })}
          aria-disabled={change.isStopping}
          onClick={keepFocus(() => queue.cancel(id))}
        >
          {t("changes.cancel")}
        </button>
      )}
    </li>
  );
}
