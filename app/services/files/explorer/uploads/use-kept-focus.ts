import { type RefObject, useEffect, useRef } from "react";

/** The rows and groups of buttons that come and go by themselves. */
const GROUPS = ".upload, .uploads__buttons, .uploads__all";

/**
 * Keeps the focus in the panel when the button that has it goes away with what it did: it moves to what has taken the button's place,
 * or to the panel's own button.
 * @param setHeld learns whether somebody goes through the panel by the keyboard
 * @param onLeave takes the focus when the panel itself is gone
 */
export function useKeptFocus(
  panel: RefObject<HTMLElement>,
  setHeld: (held: boolean) => void,
  onLeave: () => void,
) {
  /** the group that the focus is in, and which one of all it is */
  const place = useRef<{ group: Element | null; index: number } | null>(null);

  // After every rendering: a browser tells nobody that what had the focus is gone.
  useEffect(() => {
    if (place.current === null || document.activeElement !== document.body) return;
    const { group, index } = place.current;
    place.current = null;
    const root = panel.current;
    if (root === null) {
      setHeld(false);
      onLeave();
      return;
    }
    const groups = [...root.querySelectorAll(GROUPS)];
    const next = group?.isConnected ? group : (groups[index] ?? groups.at(-1));
    const button =
      next?.querySelector<HTMLElement>("button") ?? root.querySelector<HTMLElement>(".uploads__fold");
    button?.focus();
  });

  return {
    onFocus({ target }: { target: Element }) {
      const group = target.closest(GROUPS);
      const groups = [...(panel.current?.querySelectorAll(GROUPS) ?? [])];
      place.current = { group, index: group ? groups.indexOf(group) : 0 };
      // After a tap or a click nobody is there any more: only who goes by the keyboard keeps the panel open.
      if (target.matches(":focus-visible")) setHeld(true);
    },
    onBlur() {
      place.current = null;
      setHeld(false);
    },
  };
}
