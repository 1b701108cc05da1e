// biome-ignore-all lint/a11y/useSemanticElements: a grid of divs, as the list is
import { memo, useRef } from "react";
import { fileKind } from "../file-kind";
import type { Row } from "../folder/folder-state";
import { IconButton } from "../icon-button";
import { FileIcon } from "../icons";
import { useLanguage } from "../language";
import type { Thumbnails } from "./thumbnails/thumbnails";
import { useThumbnail } from "./thumbnails/use-thumbnail";
import { WhereButton } from "./where-button";

interface TileProps {
  row: Row;
  /** in the whole list, from 0 */
  index: number;
  /** from 1 */
  column: number;
  active: boolean;
  selected: boolean;
  /** the folder that it lies in, where that is not the open one */
  where: string | null;
  dimmed: boolean;
  downloads: boolean;
  thumbnails: Thumbnails;
}

/** A file or folder as a tile: what a row of the list is, with a picture where there is one. */
export const Tile = memo(function Tile({ row, index, column, active, selected, ...props }: TileProps) {
  const { t, formats } = useLanguage();
  const tile = useRef<HTMLDivElement>(null);
  const picture = useThumbnail(tile, row, props.downloads ? props.thumbnails : null);
  const isFile = row.type === "file";
  const { where } = props;
  const about = isFile ? `${formats.size(row.size)} · ${formats.date(row.lastModified)}` : "";
  return (
    <div
      ref={tile}
      role="gridcell"
      className={props.dimmed ? "tile tile--dimmed" : "tile"}
      data-row={index}
      aria-colindex={column}
      aria-selected={selected}
      aria-label={row.name}
      aria-description={[where, about].filter(Boolean).join(" · ") || undefined}
      title={row.name}
      tabIndex={active ? 0 : -1}
    >
      <span className="tile__card">
        <span className="tile__picture">
          {picture ? (
            <img src={picture} alt="" decoding="async" draggable={false} />
          ) : (
            <FileIcon kind={isFile ? fileKind(row.name) : "folder"} />
          )}
        </span>
        <span className="tile__name">
          <bdi>{row.name}</bdi>
        </span>
        {where !== null && <WhereButton where={where} active={active} />}
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
      {props.downloads && (
        <IconButton
          icon="download"
          className="tile__download"
          tabIndex={active ? 0 : -1}
          label={t("downloadFile", { name: row.name })}
          title={t("download")}
        />
      )}
    </div>
  );
});
