import { useEffect, useState } from "react";
import type { PickerSettings } from "../../../../../embed-element/protocol";
import { nameOf } from "../../folder-path";
import { asProblem, type StorageProblem } from "../../storage-problem";
import { type Row, rowId } from "../folder/folder-state";
import { useLanguage } from "../language";
import { problemText } from "../problem-details";
import { SERVICE } from "../props";
import { chooseItems } from "./choose-items";
import type { PageRequestsPanelProps } from "./panel-props";
import { isAccepted, mayChoose } from "./selected-items";

/** What the visitor is about to choose for the embedding page, with the buttons Choose and Cancel. */
export function PickerBar(props: PageRequestsPanelProps & { picker: PickerSettings }) {
  const { picker, client, embeddingPage, requests, list, navigation, here, mayDownload, onlyChecked } = props;
  const { t } = useLanguage();
  const [state, setState] = useState<"ready" | "choosing" | StorageProblem>("ready");
  const { mode, accept } = picker;
  // Without a selection, the open folder is the one to choose.
  const openFolder: Row = { type: "folder", path: here, name: here === "/" ? navigation.name : nameOf(here) };
  const rows = mode === "folder" && list.selected.length === 0 ? [openFolder] : list.selected;
  const isPossible = mayChoose(mode, accept, rows);
  const isChoosing = state === "choosing";
  // A problem concerns the rows that were selected then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another selection
  useEffect(() => setState((before) => (before === "choosing" ? before : "ready")), [list.selected]);

  const choose = async (chosen: readonly Row[]) => {
    setState("choosing");
    try {
      const items = await chooseItems(chosen, { client, withUrls: mayDownload, onlyChecked });
      embeddingPage.post({ type: "platform.embed.choose", service: SERVICE, items });
      setState("ready");
    } catch (error) {
      setState(asProblem(error));
    }
  };
  const { requested, setRequested, setUnsuitable } = requests;
  useEffect(() => {
    const isSuitable = (row: Row) =>
      mode !== "folder" ? row.type === "folder" || isAccepted(accept, row) : row.type === "folder";
    setUnsuitable(new Set(list.rows.filter((row) => !isSuitable(row)).map(rowId)));
    return () => setUnsuitable(new Set());
  }, [mode, accept, list.rows, setUnsuitable]);
  useEffect(() => {
    const wanted = requested.filter(({ type }) => type === "choose");
    const rows = wanted.at(-1)?.rows;
    if (rows === undefined) return;
    setRequested((all) => all.filter((one) => !wanted.includes(one)));
    if (!isChoosing && mayChoose(mode, accept, rows)) void choose(rows);
  });

  return (
    <section className="picker" aria-label={t(`picker.hint.${mode}`)}>
      <p className="picker__text" aria-live="polite">
        {describe()}
      </p>
      <button
        type="button"
        className="button"
        onClick={() => embeddingPage.post({ type: "platform.embed.choose-cancel", service: SERVICE })}
      >
        {t("picker.cancel")}
      </button>
      <button
        type="button"
        className="button button--primary"
        aria-disabled={!isPossible || isChoosing}
        onClick={() => isPossible && !isChoosing && void choose(rows)}
      >
        {t("picker.choose")}
      </button>
    </section>
  );

  function describe(): string {
    if (isChoosing) return t("picker.choosing");
    if (state !== "ready") {
      const why = problemText(t, state.code);
      const name = state.details.path;
      return name === undefined ? why : t("picker.failed", { name, why });
    }
    const [first] = rows;
    if (!first) return t(`picker.hint.${mode}`);
    if (isPossible) return t("picker.chosen", { count: rows.length, name: first.name });
    if (mode !== "files" && rows.length > 1) return t("picker.tooMany");
    const isOtherKind = rows.some(({ type }) => (type === "folder") !== (mode === "folder"));
    return t(isOtherKind ? `picker.hint.${mode}` : "picker.notAccepted");
  }
}
