import {
  asFilesError,
  type FilesClient,
  FilesError,
  MAX_SIGNED_DOWNLOADS,
  type Row,
  rowId,
} from "platform-embed-element/client";
import { useEffect, useState } from "react";
import type { ChosenItem, PickerSettings } from "../../../../embed-element/protocol";
import type { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";
import type { List } from "../browse/folder/use-list";
import { SERVICE } from "../place/props";
import { useLanguage } from "../screen/language";
import { problemText } from "../screen/problem-details";
import { isAccepted, mayChoose, selectedFile, selectedItem } from "./selected-items";
import type { PageRequests } from "./use-page-requests";

export interface PickerBarProps {
  embeddingPage: EmbeddingPage;
  client: FilesClient;
  /** chosen where a folder is to be chosen, and none is selected */
  openFolder: { path: string; name: string };
  list: Pick<List, "rows" | "selected">;
  /** whether the token allows downloads: each file then gets a URL */
  withUrls: boolean;
  /** the token requires a tag: a file without it is not given to the page */
  onlyChecked: boolean;
  requests: Pick<PageRequests, "requested" | "setRequested" | "setUnsuitable">;
  picker: PickerSettings;
}

/** What the visitor is about to choose for the embedding page, with the buttons Choose and Cancel. */
export function PickerBar(props: PickerBarProps) {
  const { embeddingPage, client, list, withUrls, onlyChecked, requests, picker } = props;
  const { t } = useLanguage();
  const [state, setState] = useState<"ready" | "choosing" | FilesError>("ready");
  const { mode, accept } = picker;
  const openFolder: Row = { type: "folder", ...props.openFolder };
  const rows = mode === "folder" && list.selected.length === 0 ? [openFolder] : list.selected;
  const isPossible = mayChoose(mode, accept, rows);
  const isChoosing = state === "choosing";
  // A problem concerns the rows that were selected then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another selection
  useEffect(() => setState((before) => (before === "choosing" ? before : "ready")), [list.selected]);

  const choose = async (chosen: readonly Row[]) => {
    setState("choosing");
    try {
      const items = await chooseItems(chosen, { client, withUrls, onlyChecked });
      embeddingPage.post({ type: "platform.embed.choose", service: SERVICE, items });
      setState("ready");
    } catch (error) {
      setState(asFilesError(error));
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
      const why = problemText(t, state);
      const name = state.path;
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

type ChooseOptions = Pick<PickerBarProps, "client" | "withUrls" | "onlyChecked">;

/**
 * What the embedding page gets of the chosen rows.
 * @throws FilesError, with the name of the file in `path` if it concerns one file
 */
async function chooseItems(
  rows: readonly Row[],
  { client, withUrls, onlyChecked }: ChooseOptions,
): Promise<ChosenItem[]> {
  const { bucket } = client;
  if (!withUrls && !onlyChecked) return rows.map((row) => selectedItem(bucket, row));
  const items: ChosenItem[] = [];
  for (let at = 0; at < rows.length; at += MAX_SIGNED_DOWNLOADS) {
    const batch = rows.slice(at, at + MAX_SIGNED_DOWNLOADS);
    const files = batch.flatMap((row) => (row.type === "file" ? [{ key: row.key }] : []));
    const { downloads } =
      files.length === 0
        ? { downloads: [] }
        : await client.downloads.urls(files, { check: withUrls ? undefined : true });
    const byKey = new Map(downloads.map((download) => [download.key, download]));
    for (const row of batch) {
      if (row.type === "folder") {
        items.push(selectedItem(bucket, row));
        continue;
      }
      const { error = "failed", url } = byKey.get(row.key) ?? {};
      const isReadable = withUrls ? url !== undefined : byKey.has(row.key) && error === "failed";
      if (!isReadable) throw new FilesError(error, { path: row.name });
      items.push({ ...selectedFile(bucket, row), ...(url !== undefined && { url }) });
    }
  }
  return items;
}
