import { useEffect, useRef, useState } from "react";
import { IconButton } from "../icons";
import { useLanguage } from "../language";
import type { Change } from "./change";

/** How long a notice is shown. Time with the pointer or focus on it does not count. */
const SHOWN_MS = 5_000;
const SHOWN_WITH_UNDO_MS = 10_000;
/** Only the latest are shown. */
const MAX_NOTICES = 3;

export interface Notice {
  id: number;
  sentence: string;
  /** the deletion that can be undone */
  undo?: Change;
}

interface NoticesProps {
  notices: readonly Notice[];
  onUndo(change: Change): void;
  onRemove(id: number): void;
}

/** Results of changes, with a button to undo deletions. Screen readers get them as announcements. */
export function Notices({ notices, onUndo, onRemove }: NoticesProps) {
  const { t } = useLanguage();
  const [held, setHeld] = useState(0);
  const hold = () => setHeld((count) => count + 1);
  const release = () => setHeld((count) => Math.max(count - 1, 0));
  const isEmpty = notices.length === 0;
  // A notice that disappears under the pointer gets no leave event.
  useEffect(() => {
    if (isEmpty) setHeld(0);
  }, [isEmpty]);
  const undoable = notices.filter(({ undo }) => undo).at(-1);

  useEffect(() => {
    if (!undoable?.undo) return;
    const { id, undo } = undoable;
    const onKeyDown = (event: KeyboardEvent) => {
      const isText = event.target instanceof Element && event.target.matches("input, textarea");
      if (isText || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
      event.preventDefault();
      onRemove(id);
      onUndo(undo);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });

  if (isEmpty) return null;
  return (
    <section
      className="toasts"
      aria-label={t("changes.notices")}
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      <div className="toasts__stack">
        {notices.slice(-MAX_NOTICES).map((notice) => (
          <Toast key={notice.id} notice={notice} isHeld={held > 0} onUndo={onUndo} onRemove={onRemove} />
        ))}
      </div>
    </section>
  );
}

interface ToastProps extends Pick<NoticesProps, "onUndo" | "onRemove"> {
  notice: Notice;
  isHeld: boolean;
}

function Toast({ notice: { id, sentence, undo }, isHeld, onUndo, onRemove }: ToastProps) {
  const { t } = useLanguage();
  const left = useRef(undo ? SHOWN_WITH_UNDO_MS : SHOWN_MS);
  const remove = useRef(() => onRemove(id));
  remove.current = () => onRemove(id);

  useEffect(() => {
    if (isHeld) return;
    const since = performance.now();
    const timer = setTimeout(() => remove.current(), left.current);
    return () => {
      clearTimeout(timer);
      left.current -= performance.now() - since;
    };
  }, [isHeld]);

  const leave = (element: Element) => {
    const main = element.closest(".explorer")?.querySelector<HTMLElement>(".main");
    onRemove(id);
    main?.focus({ preventScroll: true });
  };
  return (
    <div className="toast">
      <p>{sentence}</p>
      {undo && (
        <button
          type="button"
          className="link-button"
          aria-keyshortcuts="Control+Z"
          onClick={({ currentTarget }) => {
            leave(currentTarget);
            onUndo(undo);
          }}
        >
          {t("changes.undo")}
        </button>
      )}
      <IconButton icon="close" label={t("dismiss")} onClick={({ currentTarget }) => leave(currentTarget)} />
    </div>
  );
}
