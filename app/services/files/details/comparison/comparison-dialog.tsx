import type { FilesClient } from "platform-embed-element/client";
import { useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Icon, IconButton } from "../../../../embed/components/icons";
import { decodeText } from "../../browse/decode-text";
import { detectEncoding } from "../../browse/detect-encoding";
import { runWorker } from "../../browse/run-worker";
import { type ContentName, contentId } from "../../place/content-of";
import type { FileEntry } from "../../place/contract/storage-contract.server";
import { fetchBeginning } from "../../preview/fetch-object";
import {
  PreviewBar,
  PreviewModal,
  PreviewNote,
  PreviewProblem,
  PreviewStage,
  PreviewWait,
} from "../../preview/preview-elements";
import { directionOfFile } from "../../preview/text/code-language";
import { useLoaded } from "../../preview/use-loaded";
import { useLanguage } from "../../screen/language";
import { scrollInside } from "../../screen/scroll-inside";
import type { Version, VersionPair } from "../file-versions";
import type { Comparison } from "./compare-texts";
import type { ComparisonRequest, ComparisonResponse } from "./comparison.worker";
import { type ComparisonRow, rowsOf } from "./comparison-rows";
import { ComparisonTable } from "./comparison-table";

interface ComparisonDialogProps {
  client: FilesClient;
  file: FileEntry;
  /** newest first */
  versions: readonly Version[];
  shown: VersionPair;
  onShow(shown: VersionPair): void;
  onClose(): void;
}

/** Two versions of a text file: beside each other where there is room, otherwise in one column. */
export function ComparisonDialog(props: ComparisonDialogProps) {
  const { client, file, versions, shown, onShow, onClose } = props;
  const { t } = useLanguage();
  const { key } = file;
  const before = { key, versionId: shown.before };
  const after = { key, versionId: shown.after };
  return (
    <PreviewModal
      name={file.name}
      label={t("comparison.of", { name: file.name })}
      about={t("comparison.title")}
      onClose={onClose}
    >
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
      <PreviewStage key={`${shown.before} ${shown.after}`} client={client} contents={[before, after]}>
        <ComparisonContent client={client} name={file.name} before={before} after={after} />
      </PreviewStage>
    </PreviewModal>
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

interface ComparisonContentProps {
  client: FilesClient;
  name: string;
  before: ContentName;
  after: ContentName;
}

/** What differs, or why that is not shown. */
function ComparisonContent({ client, name, before, after }: ComparisonContentProps) {
  const { t, formats } = useLanguage();
  const loaded = useLoaded(
    (signal) => loadComparison(client, [before, after], signal),
    [client, contentId(before), contentId(after)],
  );
  if (loaded.state === "loading") return <PreviewWait />;
  if (loaded.state === "failed") return <PreviewProblem name={name} problem={loaded.problem} />;
  const note = (text: string) => <PreviewNote name={name} text={text} />;
  if (loaded.value === "tooLarge")
    return note(t("comparison.tooLarge", { limit: formats.size(MAX_COMPARED_BYTES) }));
  if (typeof loaded.value === "string") return note(t(`comparison.${loaded.value}`));
  const { comparison, sample } = loaded.value;
  if (comparison.added + comparison.removed === 0)
    return note(t(comparison.onlyLineEndings ? "comparison.lineEndings" : "comparison.same"));
  return <Compared name={name} comparison={comparison} direction={directionOfFile(name, sample)} />;
}

/** Longer texts are not compared, each. */
const MAX_COMPARED_BYTES = 1_000_000;
/** Two texts of the maximum length with a few changes take a tenth of this. */
const COMPARE_TIMEOUT_MS = 5_000;
/** In addition, for starting the worker, and for comparing words. */
const WORKER_EXTRA_MS = 5_000;

interface Loaded {
  comparison: Comparison;
  /** the first text, or the second if that is empty */
  sample: string;
}

/** Reads two versions and compares them in a worker. @throws FilesError, or the signal's reason */
async function loadComparison(
  client: FilesClient,
  versions: [ContentName, ContentName],
  signal: AbortSignal,
): Promise<Loaded | "tooLarge" | "binary" | "tooDifferent"> {
  const contents = await Promise.all(
    versions.map((version) => fetchBeginning(client, version, MAX_COMPARED_BYTES, signal)),
  );
  if (contents.some(({ cut }) => cut)) return "tooLarge";
  const [before, after] = await Promise.all(contents.map(({ bytes }) => readText(bytes, signal)));
  if (before === undefined || after === undefined) return "binary";
  const request: ComparisonRequest = { before, after, timeoutMs: COMPARE_TIMEOUT_MS };
  const limitMs = COMPARE_TIMEOUT_MS + WORKER_EXTRA_MS;
  const comparison = await runWorker<ComparisonResponse>("comparison", request, limitMs, signal);
  return comparison ? { comparison, sample: before || after } : "tooDifferent";
}

/** Undefined for bytes that are no text. */
async function readText(bytes: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
  const { encoding } = await detectEncoding(bytes, signal);
  return encoding === null ? undefined : decodeText(bytes, false, encoding);
}

/** Rows that are shown at first, around a change that is stepped to, and that are added by "Show more". A slow computer takes a second to lay them out. */
const ROWS_AT_ONCE = 500;

interface ComparedProps {
  name: string;
  comparison: Comparison;
  direction: "ltr" | "rtl";
}

function Compared({ name, comparison, direction }: ComparedProps) {
  const { t } = useLanguage();
  const scroller = useRef<HTMLElement>(null);
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  /** indices of the rows that are shown */
  const [range, setRange] = useState({ from: 0, to: ROWS_AT_ONCE });
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
    setRange(withRow(range, rowOf(rows, change)));
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
    const dialog = scroller.current?.closest("dialog");
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (event.target instanceof Element && event.target.closest("select")) return;
      if (event.key === "n") step(1, true);
      else if (event.key === "p") step(-1, true);
      else return;
      event.preventDefault();
    };
    dialog?.addEventListener("keydown", onKeyDown);
    return () => dialog?.removeEventListener("keydown", onKeyDown);
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
        {range.from > 0 && (
          <button
            type="button"
            className="button button--small comparison__more"
            onClick={() => {
              setRange({ ...range, from: Math.max(range.from - ROWS_AT_ONCE, 0) });
              scroller.current?.focus({ preventScroll: true });
            }}
          >
            {t("look.more")}
          </button>
        )}
        <ComparisonTable
          rows={rows.slice(range.from, range.to)}
          layout={layout}
          direction={direction}
          current={current}
          onUnfold={unfold}
        />
        {range.to < rows.length && (
          <button
            type="button"
            className="button button--small comparison__more"
            onClick={() => {
              setRange({ ...range, to: range.to + ROWS_AT_ONCE });
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

/** The range with this row and those around it. If it is far away, the others are left out: a text may have 100,000 rows. */
function withRow({ from, to }: { from: number; to: number }, row: number) {
  const near = { from: Math.max(row - ROWS_AT_ONCE / 2, 0), to: row + ROWS_AT_ONCE / 2 };
  const isFar = near.from > to || near.to < from;
  return isFar ? near : { from: Math.min(from, near.from), to: Math.max(to, near.to) };
}

/** The index of a change's first row. */
const rowOf = (rows: readonly ComparisonRow[], change: number) =>
  rows.findIndex((row) => row.kind === "changed" && row.change === change);

/** Room for two texts beside each other. `comparison.css` has the same width. */
const ROOM_FOR_TWO = "(min-width: 720px)";

function useHasRoom(): boolean {
  return useSyncExternalStore(onRoomChange, () => matchMedia(ROOM_FOR_TWO).matches);
}

function onRoomChange(onChange: () => void): () => void {
  const room = matchMedia(ROOM_FOR_TWO);
  room.addEventListener("change", onChange);
  return () => room.removeEventListener("change", onChange);
}
