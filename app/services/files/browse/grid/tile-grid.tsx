// biome-ignore-all lint/a11y/useSemanticElements: a grid of divs, as the list is
// biome-ignore-all lint/a11y/useFocusableInteractive: cells take the focus, rows do not
import { rowId } from "platform-embed-element/client";
import { type RefObject, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { IconButton } from "../../../../embed/components/icons";
import { useLanguage } from "../../screen/language";
import { useLayoutEffectInBrowser } from "../../screen/use-layout-effect-in-browser";
import { type SortColumn, sortColumns } from "../folder/arrange-rows";
import { SelectAll, useGrid } from "./file-grid";
import type { FileGridProps } from "./grid-props";
import { Tile } from "./tile";

/** CSS pixels. There are at least two columns. */
const MIN_TILE_WIDTH = 164;

/** The folder as tiles, which take the focus. Selecting, opening and downloading work as in the list. */
export function TileGrid(props: FileGridProps) {
  const { rows } = props;
  const list = useRef<HTMLDivElement>(null);
  const keepFocus = useRef(() => {});
  const perLine = useColumns(list, () => keepFocus.current());
  const grid = useGrid(list, props, perLine);
  keepFocus.current = grid.keepFocus;
  return (
    <div className="list tiles" ref={list}>
      <TilesHead {...props} />
      <div
        role="grid"
        className="grid"
        aria-label={props.label}
        aria-rowcount={props.more ? -1 : grid.lines}
        aria-colcount={perLine}
        aria-multiselectable="true"
        {...grid.events}
      >
        {grid.ranges.map((range) => {
          if ("gap" in range)
            return <div key={range.key} role="presentation" style={{ height: range.gap }} />;
          const first = range.index * perLine;
          return (
            <div
              key={range.index}
              role="row"
              className="tiles__line"
              aria-rowindex={range.index + 1}
              style={{ gridTemplateColumns: `repeat(${perLine}, minmax(0, 1fr))` }}
            >
              {rows.slice(first, first + perLine).map((row, place) => (
                <Tile key={rowId(row)} {...grid.itemProps(row, first + place)} column={place + 1} />
              ))}
            </div>
          );
        })}
      </div>
      {grid.rectangle}
    </div>
  );
}

/** Select all, and sort. */
function TilesHead(props: FileGridProps) {
  const { sort, onSort } = props;
  const { t } = useLanguage();
  const announced = sort.descending ? t("announcements.descending") : t("announcements.ascending");
  return (
    <div className="tiles__head">
      <span className="row__check tiles__all">
        <SelectAll {...props} />
      </span>
      <select
        className="preview__select"
        aria-label={t("look.sortBy")}
        value={sort.column}
        onChange={(event) => onSort(event.target.value as SortColumn)}
      >
        {sortColumns.map((column) => (
          <option key={column} value={column}>
            {t(column)}
          </option>
        ))}
      </select>
      <IconButton
        icon="arrow"
        className={sort.descending ? "tiles__descending" : ""}
        label={`${t("look.sortBy")}: ${announced}`}
        onClick={() => onSort(sort.column)}
      />
    </div>
  );
}

/** The number of columns. */
function useColumns(list: RefObject<HTMLElement>, beforeChange: () => void): number {
  const [columns, setColumns] = useState(4);
  const latest = useRef({ columns, beforeChange });
  latest.current = { columns, beforeChange };
  // In a layout effect, so that the first painting has the right number of columns.
  useLayoutEffectInBrowser(() => {
    const element = list.current;
    if (!element) return;
    const measure = () => {
      const fitting = Math.max(Math.floor((element.clientWidth - 16) / MIN_TILE_WIDTH), 2);
      if (fitting === latest.current.columns) return;
      latest.current.beforeChange();
      setColumns(fitting);
    };
    measure();
    // At once: another rendering in between would use up what `beforeChange` has prepared.
    const observer = new ResizeObserver(() => flushSync(measure));
    observer.observe(element);
    return () => observer.disconnect();
  }, [list]);
  return columns;
}
