import { type Row, rowId } from "platform-embed-element/client";
import { Fragment, useEffect, useRef, useState } from "react";
import { IconButton } from "../../../embed/components/icons";
import { FileIcon } from "../browse/file-icon";
import { fileKind } from "../browse/file-kind";
import type { List } from "../browse/folder/use-list";
import type { Thumbnails } from "../browse/pictures/thumbnails";
import { useLanguage } from "../screen/language";
import { DetailsList, DetailsPicture, SelectionDetails } from "./details-list";
import type { Details } from "./use-details";

interface DetailsPanelProps {
  details: Pick<Details, "requested" | "follow" | "close" | "activity" | "versions" | "sizes">;
  list: Pick<List, "rows" | "loaded" | "selection" | "selected">;
  rootPath: string;
  thumbnails: Thumbnails | null;
}

/** Details at the side of the list: of the row that was asked for, then of the selection, or of the row with the focus. */
export function DetailsPanel({ details, list, rootPath, thumbnails }: DetailsPanelProps) {
  const { t } = useLanguage();
  const panel = useRef<HTMLElement>(null);
  const rows = useShownRows(details, list);
  const [row] = rows;
  const only = rows.length === 1 ? row : undefined;

  // The toggle in the toolbar asks for no row, and keeps the focus. A section that was asked for takes it.
  useEffect(() => {
    if (details.requested && !details.requested.section) panel.current?.focus();
  }, [details.requested]);

  const close = () => {
    details.close();
    const active = document.querySelector<HTMLElement>('.grid [data-row][tabindex="0"]');
    (active ?? document.querySelector<HTMLElement>(".main"))?.focus({ preventScroll: true });
  };

  return (
    <aside
      ref={panel}
      className="details-panel"
      tabIndex={-1}
      aria-label={t("look.details")}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        close();
      }}
    >
      <header className="details-head">
        {only && <FileIcon kind={only.type === "folder" ? "folder" : fileKind(only.name)} />}
        <h2>{t("look.details")}</h2>
        <IconButton icon="close" label={t("preview.close")} onClick={close} />
      </header>
      {only && (
        <Fragment key={rowId(only)}>
          <DetailsPicture row={only} thumbnails={thumbnails} />
          <DetailsList row={only} rootPath={rootPath} sections={details} />
        </Fragment>
      )}
      {rows.length > 1 && <SelectionDetails rows={rows} />}
      {rows.length === 0 && <p className="details-panel__hint">{t("look.nothingSelected")}</p>}
    </aside>
  );
}

function useShownRows(
  { requested, follow }: Pick<Details, "requested" | "follow">,
  { rows, loaded, selection, selected }: DetailsPanelProps["list"],
): readonly Row[] {
  const [focused, setFocused] = useState<string | null>(() => focusedRow(document.activeElement, rows));
  const latest = useRef({ rows, requested, follow });
  latest.current = { rows, requested, follow };

  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      const { rows, requested, follow } = latest.current;
      const id = focusedRow(target, rows);
      if (id === null) return;
      setFocused(id);
      if (requested && rowId(requested.row) !== id) follow();
    };
    document.addEventListener("focusin", onFocus);
    return () => document.removeEventListener("focusin", onFocus);
  }, []);

  const before = useRef(selection.ids);
  useEffect(() => {
    if (before.current !== selection.ids) latest.current.follow();
    before.current = selection.ids;
  }, [selection.ids]);

  // As it is now: it may have been changed since.
  const find = (id: string) => loaded.filter((row) => rowId(row) === id);
  const wanted = requested ? find(rowId(requested.row)) : [];
  if (wanted.length > 0) return wanted;
  if (selected.length > 0) return selected;
  return focused === null ? [] : find(focused);
}

/** The id of the row that contains `element`. */
function focusedRow(element: EventTarget | null, rows: readonly Row[]): string | null {
  if (!(element instanceof Element)) return null;
  const index = element.closest<HTMLElement>(".grid [data-row]")?.dataset.row;
  const row = index === undefined ? undefined : rows[Number(index)];
  return row ? rowId(row) : null;
}
