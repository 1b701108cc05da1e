import { useEffect, useRef, useState } from "react";
import { IconButton } from "../icon-button";
import { useLanguage } from "../language";
import type { Change } from "./change";

/** So long a notice stays, and one that offers to undo, milliseconds; not while it has the pointer or the focus. */
const STAYS = 5_000;
const STAYS_WITH_UNDO = 10_000;
/** So many are shown, the latest. */
const MOST = 3;

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

/** What has just been done, and for a while the way back. A screen reader has been told already. */
export function Notices({ notices, onUndo, onRemove }: NoticesProps) {
  const { t } = useLanguage();
  const [held, setHeld] = useState(0);
  const hold = () => setHeld((count) => count + 1);
  const release = () => setHeld((count) => Math.max(count - 1, 0));
  const isEmpty = notices.length === 0;
  // What goes away under the pointer is left by nothing.
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
        {notices.slice(-MOST).map((notice) => (
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
  const left = useRef(undo ? STAYS_WITH_UNDO : STAYS);
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
