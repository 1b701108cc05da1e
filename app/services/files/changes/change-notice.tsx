import type { ChangeEvents } from "platform-embed-element/client";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "../../../embed/components/icons";
import { useFocusReturn } from "../screen/focus-list";
import { useLanguage } from "../screen/language";

/** How long a notice is shown. Time with the pointer or focus on it does not count. */
const SHOWN_MS = 5_000;
const SHOWN_WITH_BUTTON_MS = 10_000;

type Next = ChangeEvents["changed"]["next"];

interface ChangeNoticeBarProps {
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
export function ChangeNoticeBar({ sentence, next, onNext, onShow, onRemove }: ChangeNoticeBarProps) {
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
