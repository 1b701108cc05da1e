// biome-ignore-all lint/a11y/useSemanticElements: a grid of divs, as the list is
import { memo, useRef } from "react";
import { FileName } from "../../screen/file-name";
import { useLanguage, useVisibleName } from "../../screen/language";
import { CheckMark, isMarked, thumbnailsFor, useFileCheck } from "../checks/check-mark";
import { FileIcon } from "../file-icon";
import { fileKind } from "../file-kind";
import { bytesOf } from "../folder/arrange-rows";
import { useThumbnail } from "../pictures/use-thumbnails";
import { RowAction, WhereButton } from "./file-row";
import type { GridItemProps } from "./grid-props";

interface TileProps extends GridItemProps {
  /** from 1 */
  column: number;
}

/** A file or folder as a tile, with a thumbnail if there is one. */
export const Tile = memo(function Tile({ row, index, column, active, selected, ...props }: TileProps) {
  const { t, formats } = useLanguage();
  const tile = useRef<HTMLDivElement>(null);
  const check = useFileCheck(tile, row, props.checks);
  const picture = useThumbnail(tile, row, thumbnailsFor(check, props), "tile");
  const isFile = row.type === "file";
  const kind = isFile ? fileKind(row.name) : "folder";
  const { where, query, button } = props;
  const name = useVisibleName()(row.name);
  const { deletion } = row;
  const date = deletion?.at ?? (isFile ? row.lastModified : undefined);
  const about = date ? `${formats.size(bytesOf(row))} · ${formats.shortDate(date)}` : "";
  const state = isMarked(check) && t(`checks.${check}`);
  return (
    <div
      ref={tile}
      role="gridcell"
      className={`tile${props.dimmed ? " tile--dimmed" : ""}${props.isNew ? " tile--new" : ""}`}
      data-row={index}
      aria-colindex={column}
      aria-selected={selected}
      aria-label={name}
      aria-description={[state, where, about].filter(Boolean).join(" · ") || undefined}
      tabIndex={active ? 0 : -1}
    >
      <span className="tile__card">
        <span className="tile__picture">
          {picture ? (
            <img
              className={kind === "pdf" ? "tile__page" : undefined}
              src={picture}
              alt=""
              decoding="sync"
              draggable={false}
            />
          ) : (
            <FileIcon kind={kind} />
          )}
          {/* A film or a document would look like a photo. */}
          {picture && kind !== "image" && (
            <span className="tile__kind">
              <FileIcon kind={kind} />
            </span>
          )}
          <CheckMark check={check} />
        </span>
        <span className="tile__name">
          <FileName data-name="" name={row.name} query={query} title={name} keepsEnd />
        </span>
        {where !== null && <WhereButton where={where} query={query} active={active} />}
        <span className="tile__about">{about}</span>
      </span>
      <span className="tile__check row__check">
        <input
          type="checkbox"
          checked={selected}
          readOnly
          tabIndex={-1}
          aria-label={t("select", { name: row.name })}
        />
      </span>
      {button && <RowAction button={button} name={row.name} className="tile__button" active={active} />}
    </div>
  );
});
