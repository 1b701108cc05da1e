import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Icon, IconButton } from "../../../../embed/components/icons";
import type { StorageClient } from "../../storage-client";
import type { FileEntry } from "../../storage-contract.server";
import type { Version } from "../details/viewed-versions";
import { useModal } from "../dialog";
import { FileIcon } from "../file-icon";
import { fileKind } from "../file-kind";
import { useLanguage } from "../language";
import {
  PreviewBar,
  PreviewNote,
  PreviewProblem,
  PreviewWait,
  RetryPreview,
} from "../preview/preview-elements";
import { codeLanguage } from "../preview/text/code-language";
import { directionOf } from "../preview/text/markdown-view";
import { useLoaded } from "../preview/use-loaded";
import { untilChecked } from "../preview/when-checked";
import { scrollInside } from "../scroll-inside";
import type { Comparison } from "./compare-texts";
import { type ComparisonRow, rowsOf } from "./comparison-rows";
import { ComparisonTable } from "./comparison-table";
import { loadComparison, MAX_COMPARED_BYTES } from "./load-comparison";
import { useHasRoom } from "./use-has-room";

/** Ids of the versions to compare. */
interface Shown {
  before: string;
  after: string;
}

interface ComparisonDialogProps {
  client: StorageClient;
  file: FileEntry;
  /** newest first */
  versions: readonly Version[];
  shown: Shown;
  onShow(shown: Shown): void;
  onClose(): void;
}

/** Two versions of a text file: beside each other where there is room, otherwise in one column. */
export default function ComparisonDialog({
  client,
  file,
  versions,
  shown,
  onShow,
  onClose,
}: ComparisonDialogProps) {
  const { t } = useLanguage();
  const { dialog, modal } = useModal(onClose);
  // Not its first button, which the browser would choose.
  useLayoutEffect(() => dialog.current?.focus(), [dialog]);
  // No dependencies: any rendering may remove the button that has the focus. Keep the focus in the dialog, for its keys.
  useLayoutEffect(() => {
    if (!dialog.current?.contains(document.activeElement)) dialog.current?.focus();
  });
  const [attempt, setAttempt] = useState(1);
  const keys = useRef<((event: KeyboardEvent) => void) | null>(null);
  const { before, after } = shown;
  const areChecked = async (signal: AbortSignal) => {
    for (const versionId of [before, after]) await untilChecked(client, { key: file.key, versionId }, signal);
  };
  return (
    <dialog
      {...modal}
      className="modal preview"
      tabIndex={-1}
      aria-label={t("comparison.of", { name: file.name })}
      onKeyDown={(event) => keys.current?.(event)}
    >
      <div className="preview__screen">
        <header className="preview__head">
          <FileIcon kind={fileKind(file.name)} />
          <div className="preview__title">
            <h2 title={file.name}>
              <bdi>{file.name}</bdi>
            </h2>
            <p>{t("comparison.title")}</p>
          </div>
          <IconButton icon="close" className="preview__close" label={t("preview.close")} onClick={onClose} />
        </header>
        <div className="comparison__choice">
          <VersionSelect
            label={t("comparison.before")}
            versions={versions}
            value={shown.before}
            onChange={(before) => onShow({ ...shown, before })}
          />
          <VersionSelect
            label={t("comparison.after")}
            versions={versions}
            value={shown.after}
            onChange={(after) => onShow({ ...shown, after })}
          />
        </div>
        <div className="preview__stage">
          <RetryPreview.Provider
            value={{ attempt, retry: () => setAttempt(attempt + 1), untilChecked: areChecked }}
          >
            <Loading
              key={`${attempt} ${shown.before} ${shown.after}`}
              client={client}
              file={file}
              shown={shown}
              keys={keys}
            />
          </RetryPreview.Provider>
        </div>
      </div>
    </dialog>
  );
}

interface VersionSelectProps {
  label: string;
  versions: readonly Version[];
  /** the id of the chosen version */
  value: string;
  onChange(versionId: string): void;
}

function VersionSelect({ label, versions, value, onChange }: VersionSelectProps) {
  const { t, formats } = useLanguage();
  return (
    <label className="comparison__version">
      <span>{label}</span>
      <select className="preview__select" value={value} onChange={(event) => onChange(event.target.value)}>
        {versions.map(({ versionId, lastModified, size, isLatest }) => (
          <option key={versionId} value={versionId}>
            {/* In a narrow frame, the end is cut off. */}
            {isLatest && `${t("versions.latest")} · `}
            {formats.dateTime(lastModified)} · {formats.size(size)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface LoadingProps extends Pick<ComparisonDialogProps, "client" | "file" | "shown"> {
  /** what to do with the keys that are pressed in the dialog */
  keys: Keys;
}
type Keys = { current: ((event: KeyboardEvent) => void) | null };

function Loading({ client, file, shown, keys }: LoadingProps) {
  const { t, formats } = useLanguage();
  const { key, name } = file;
  const { before, after } = shown;
  const loaded = useLoaded(
    (signal) =>
      loadComparison(
        client,
        { before: { key, versionId: before }, after: { key, versionId: after } },
        signal,
      ),
    [client, key, before, after],
  );
  if (loaded.state === "loading") return <PreviewWait />;
  if (loaded.state === "failed") return <PreviewProblem name={name} problem={loaded.problem} />;
  const result = loaded.value;
  switch (result.state) {
    case "compared": {
      const { comparison, sample } = result;
      if (comparison.added + comparison.removed === 0)
        return (
          <PreviewNote
            name={name}
            text={t(comparison.onlyLineEndings ? "comparison.lineEndings" : "comparison.same")}
          />
        );
      const language = codeLanguage(name);
      const direction = language === null || language === "markdown" ? directionOf(sample) : "ltr";
      return <Compared name={name} comparison={comparison} direction={direction} keys={keys} />;
    }
    case "too-large":
      return (
        <PreviewNote
          name={name}
          text={t("comparison.tooLarge", { limit: formats.size(MAX_COMPARED_BYTES) })}
        />
      );
    case "binary":
      return <PreviewNote name={name} text={t("comparison.binary")} />;
    case "too-different":
      return <PreviewNote name={name} text={t("comparison.tooDifferent")} />;
    default:
      return result satisfies never;
  }
}

/** Rows that are shown at first, and that are added by "Show more". Browsers take seconds to lay out many more. */
const ROWS_AT_ONCE = 2_000;

interface ComparedProps {
  name: string;
  comparison: Comparison;
  direction: "ltr" | "rtl";
  keys: Keys;
}

function Compared({ name, comparison, direction, keys }: ComparedProps) {
  const { t } = useLanguage();
  const scroller = useRef<HTMLElement>(null);
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const [limit, setLimit] = useState(ROWS_AT_ONCE);
  const layout = useHasRoom() ? "split" : "unified";
  const rows = useMemo(() => rowsOf(comparison, unfolded, layout), [comparison, unfolded, layout]);
  const total = comparison.blocks.filter(({ kind }) => kind === "changed").length;
  const [current, setCurrent] = useState(0);
  /** another object for each step */
  const [goal, setGoal] = useState<{ change: number; byKey: boolean } | null>(null);

  const step = (by: number, byKey: boolean) => {
    // Before the first step, the first change is the current one, and in view.
    const change = Math.min(Math.max(current + by, 0), total - 1);
    setCurrent(change);
    setGoal({ change, byKey });
    setLimit(Math.max(limit, rowOf(rows, change) + ROWS_AT_ONCE / 2));
  };
  // The row may have been rendered only now.
  useLayoutEffect(() => {
    if (!goal) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-change="${goal.change}"]`);
    scrollInside(row, "center");
    // By a button, the focus stays there for the next step.
    if (goal.byKey) row?.focus({ preventScroll: true });
  }, [goal]);
  useLayoutEffect(() => {
    keys.current = (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (event.target instanceof Element && event.target.closest("select")) return;
      if (event.key === "n") step(1, true);
      else if (event.key === "p") step(-1, true);
      else return;
      event.preventDefault();
    };
    return () => {
      keys.current = null;
    };
  });

  const unfold = (block: number) => setUnfolded(new Set(unfolded).add(block));
  return (
    <div className="preview__text">
      <PreviewBar>
        <span className="comparison__counts">
          <span className="comparison__count comparison__count--removed">
            {t("comparison.removedLines", { count: comparison.removed })}
          </span>
          <span className="comparison__count comparison__count--added">
            {t("comparison.addedLines", { count: comparison.added })}
          </span>
        </span>
        <IconButton
          icon="down"
          className="comparison__previous"
          label={t("comparison.previous")}
          aria-keyshortcuts="p"
          aria-disabled={current === 0}
          onClick={() => step(-1, false)}
        />
        <span role="status">{t("comparison.position", { index: current + 1, total })}</span>
        <IconButton
          icon="down"
          label={t("comparison.next")}
          aria-keyshortcuts="n"
          aria-disabled={current === total - 1}
          onClick={() => step(1, false)}
        />
      </PreviewBar>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <section ref={scroller} className="comparison__scroll" tabIndex={0} aria-label={name}>
        <ComparisonTable
          rows={rows.slice(0, limit)}
          layout={layout}
          direction={direction}
          current={current}
          onUnfold={unfold}
        />
        {limit < rows.length && (
          <button
            type="button"
            className="button button--small comparison__more"
            onClick={() => {
              setLimit(limit + ROWS_AT_ONCE);
              // The button disappears with the last rows.
              scroller.current?.focus({ preventScroll: true });
            }}
          >
            <Icon name="down" />
            {t("look.more")}
          </button>
        )}
      </section>
    </div>
  );
}

/** The index of a change's first row. */
const rowOf = (rows: readonly ComparisonRow[], change: number) =>
  rows.findIndex((row) => row.kind === "changed" && row.change === change);
