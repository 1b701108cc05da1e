import {
  type Change,
  type ChangeEvents,
  folderOf,
  isInside,
  now,
  pathOf,
  placed,
  rowId,
} from "platform-embed-element/client";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "../../../embed/components/icons";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import type { Navigation } from "../browse/folder/use-navigation";
import type { ShowRows } from "../browse/folder/use-show-rows";
import { useFocusReturn } from "../screen/focus-list";
import { useLanguage } from "../screen/language";
import { useChangeWords } from "./change-words";
import type { ChangeCommands } from "./use-change-commands";

/** How long a notice is shown. Time with the pointer or focus on it does not count. */
const SHOWN_MS = 5_000;
const SHOWN_WITH_BUTTON_MS = 10_000;

interface ChangeNoticeProps {
  rootPath: string;
  folder: Pick<Folder, "path" | "time">;
  list: Pick<List, "filter">;
  showRows: Pick<ShowRows, "show">;
  navigation: Pick<Navigation, "open" | "leaveSearch">;
  changes: Pick<ChangeCommands, "results" | "undoOrRedo">;
  announce(sentence: string): void;
}

/** Announces what has come of each change, and shows it until the person or another notice removes it. */
export function ChangeNotice(props: ChangeNoticeProps) {
  const { folder, showRows, navigation, announce } = props;
  const { results, undoOrRedo } = props.changes;
  const { last, announcedId, shown } = results;
  const words = useChangeWords();
  useEffect(() => {
    if (last === null || last.id === announcedId.current) return;
    announcedId.current = last.id;
    const sentence = words.result(last);
    if (sentence) announce(sentence);
  }, [last, announcedId, words, announce]);

  const sentence = shown && words.result(shown);
  if (!shown || !sentence) return null;
  const place = shown.status === "ended" ? placeOfResult(shown.change, props) : null;
  const showPlace = ({ folderPath, ids }: PlaceOfResult) => {
    const isOpen = folderPath === folder.path && folder.time.kind === "now";
    if (isOpen) navigation.leaveSearch();
    else navigation.open(folderPath, ids[0], now);
    showRows.show(ids, { folderPath, force: true });
  };
  return (
    <NoticeBar
      key={shown.id}
      sentence={sentence}
      next={shown.status === "ended" ? shown.next : null}
      onShow={place && (() => showPlace(place))}
      onRemove={results.removeNotice}
      onNext={({ way, change }) => void undoOrRedo(way, change.id)}
    />
  );
}

/** Where the result of a change is: a folder, and the ids of the rows in it. */
interface PlaceOfResult {
  folderPath: string;
  ids: string[];
}

/** Where a change has put something that the open folder does not show; null if there is nothing to show. */
function placeOfResult(
  change: Change,
  {
    rootPath,
    folder: { path, time },
    list: { filter },
  }: Pick<ChangeNoticeProps, "rootPath" | "folder" | "list">,
): PlaceOfResult | null {
  if (change.done === 0 || ["purge", "delete", "remove-created"].includes(change.action)) return null;
  const rows = placed(change);
  const [first] = rows;
  if (!first) return null;
  // Of everything that was shown, the folder itself is named.
  const folderPath = pathOf(first) === path ? path : folderOf(first);
  const isOpen = folderPath === path && time.kind === "now" && filter === "";
  if (isOpen || !isInside(folderPath, rootPath)) return null;
  return { folderPath, ids: rows.filter((row) => folderOf(row) === folderPath).map(rowId) };
}

type Next = ChangeEvents["changed"]["next"];

interface NoticeBarProps {
  sentence: string;
  /** what its button does; null without a button */
  next: Next;
  onNext(next: NonNullable<Next>): void;
  /** goes to what the change has put somewhere else; null if the open folder shows it */
  onShow: (() => void) | null;
  onRemove(): void;
}

/**
 * The result of the last change, with buttons to go to it and to undo or redo it, in a line above the status bar. Mount each notice with its own key. Screen
 * readers get it as an announcement.
 */
function NoticeBar({ sentence, next, onNext, onShow, onRemove }: NoticeBarProps) {
  const { t } = useLanguage();
  const bar = useRef<HTMLElement>(null);
  const left = useRef(next || onShow ? SHOWN_WITH_BUTTON_MS : SHOWN_MS);
  const [held, setHeld] = useState({ byPointer: false, byFocus: false });
  const isHeld = held.byPointer || held.byFocus;
  const remove = useRef(onRemove);
  remove.current = onRemove;

  useEffect(() => {
    if (isHeld) return;
    const since = performance.now();
    const timer = setTimeout(() => remove.current(), left.current);
    return () => {
      clearTimeout(timer);
      left.current -= performance.now() - since;
    };
  }, [isHeld]);

  useFocusReturn(bar);

  return (
    <section
      ref={bar}
      className="toast"
      aria-label={t("changes.notices")}
      onPointerEnter={() => setHeld({ ...held, byPointer: true })}
      onPointerLeave={() => setHeld({ ...held, byPointer: false })}
      onFocus={() => setHeld({ ...held, byFocus: true })}
      onBlur={() => setHeld({ ...held, byFocus: false })}
    >
      <p>{sentence}</p>
      {onShow && (
        <button type="button" className="link-button" onClick={onShow}>
          {t("changes.show")}
        </button>
      )}
      {next && (
        <button
          type="button"
          className="link-button"
          aria-keyshortcuts={next.way === "undo" ? "Control+Z" : "Control+Shift+Z"}
          onClick={() => {
            onRemove();
            onNext(next);
          }}
        >
          {t(`changes.${next.way}`)}
        </button>
      )}
      <IconButton icon="close" label={t("dismiss")} onClick={onRemove} />
    </section>
  );
}
