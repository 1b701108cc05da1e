import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { IconButton } from "../../../embed/components/icons";
import { useFocusReturn } from "./focus-list";
import { useLanguage } from "./language";
import { useUnloadWarning } from "./use-unload-warning";

/** How long transfers are shown after all have gone well. */
const DONE_SHOWN_MS = 8_000;

interface TrayProps {
  /** accessible name of the region */
  label: string;
  title: string;
  /** beside the title, while the list is closed */
  note?: string | false;
  /** something failed or needs an answer */
  needsAttention: boolean;
  /** opens the list, as `needsAttention` does */
  isOpened?: boolean;
  /** of all transfers together, bytes; undefined if none is running */
  progress?: { max: number; value: number | undefined };
  /** a button beside the title */
  action?: ReactNode;
  /** accessible name of the button that shows the list */
  expand: string;
  /** leaving the page would end something: the browser asks for confirmation */
  warnsOnUnload: boolean;
  /** all have ended, and there is nothing that the person has to see */
  isAllDone: boolean;
  /** Removes the transfers, a while after all went well. Not while the pointer or the keyboard's focus is in the tray. */
  onDone(): void;
  /** the list */
  children: ReactNode;
}

/** Transfers, in one line beside the status bar. A button shows the list, which also opens when something needs an answer. */
export function Tray(props: TrayProps) {
  const { label, title, note, needsAttention, isOpened = false, progress, action, expand, children } = props;
  const { t } = useLanguage();
  const tray = useRef<HTMLElement>(null);
  const opens = needsAttention || isOpened;
  /** null until the person has opened or closed it */
  const [chosen, setChosen] = useState<boolean | null>(null);
  useEffect(() => {
    // Something new needs an answer, so it opens although the person has closed it before.
    if (opens) setChosen((before) => before || null);
  }, [opens]);
  const isOpen = chosen ?? opens;
  const holding = useHolding();
  useUnloadWarning(props.warnsOnUnload);
  useDelayed(props.isAllDone && !holding.isHeld, props.onDone);
  const keeping = useKeptFocus(tray, holding.setFocused);
  useFocusReturn(tray);
  return (
    <section
      ref={tray}
      className={`tray${isOpen ? " tray--open" : ""}`}
      aria-label={label}
      {...holding.handlers}
      {...keeping}
      onKeyDown={(event) => {
        // After a click, the button has the focus without showing it.
        holding.setFocused(true);
        // Escape in a dialog of the tray closes the dialog.
        if (event.target instanceof Element && event.target.closest("dialog")) return;
        if (event.key !== "Escape" || !isOpen || event.isDefaultPrevented()) return;
        event.preventDefault();
        setChosen(false);
      }}
    >
      <header className="tray__head">
        <h2 className={`tray__title${needsAttention ? " tray__title--stuck" : ""}`} title={title}>
          {title}
        </h2>
        {note && !isOpen && <p className="tray__note">{note}</p>}
        {action}
        <IconButton
          icon="down"
          className="tray__fold"
          aria-expanded={isOpen}
          label={isOpen ? t("uploads.collapse") : expand}
          onClick={() => setChosen(!isOpen)}
        />
        {progress && <progress className="tray__progress" {...progress} aria-label={label} />}
      </header>
      {isOpen && <div className="tray__body">{children}</div>}
    </section>
  );
}

/** Whether the person is using the tray: it does not close itself meanwhile. */
function useHolding() {
  const [isHovered, setHovered] = useState(false);
  const [isFocused, setFocused] = useState(false);
  return {
    isHeld: isHovered || isFocused,
    setFocused,
    handlers: { onPointerEnter: () => setHovered(true), onPointerLeave: () => setHovered(false) },
  };
}

function useDelayed(isDue: boolean, act: () => void) {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!isDue) return;
    const timer = setTimeout(() => latest.current(), DONE_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isDue]);
}

/** Groups of buttons that appear and disappear by themselves. */
const GROUPS = ".upload, .download, .tray__buttons, .tray__all";

/** Keeps the focus in the tray when the focused button disappears: it moves to the button that takes its place, or to the tray's own. */
function useKeptFocus(tray: RefObject<HTMLElement>, setFocused: (isFocused: boolean) => void) {
  /** the group with the focus, and its index among all groups */
  const place = useRef<{ group: Element | null; index: number } | null>(null);

  // No dependencies: there is no event when the focused element is removed.
  useEffect(() => {
    if (place.current === null || document.activeElement !== document.body) return;
    const { group, index } = place.current;
    place.current = null;
    const groups = [...(tray.current?.querySelectorAll(GROUPS) ?? [])];
    const next = group?.isConnected ? group : (groups[index] ?? groups.at(-1));
    const button =
      next?.querySelector<HTMLElement>("button") ?? tray.current?.querySelector<HTMLElement>(".tray__fold");
    button?.focus();
  });

  return {
    onFocus({ target }: { target: Element }) {
      const group = target.closest(GROUPS);
      const groups = [...(tray.current?.querySelectorAll(GROUPS) ?? [])];
      place.current = { group, index: group ? groups.indexOf(group) : 0 };
      // Only keyboard focus counts; after a click or tap it means nothing.
      if (target.matches(":focus-visible")) setFocused(true);
    },
    onBlur() {
      place.current = null;
      setFocused(false);
    },
  };
}
