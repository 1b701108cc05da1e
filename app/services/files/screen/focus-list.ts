import { type RefObject, useLayoutEffect } from "react";

/** Gives the focus to the list as a whole, or to what is shown instead of it. */
export function focusList(): void {
  document.querySelector<HTMLElement>(".main")?.focus({ preventScroll: true });
}

/** When an element that contains the focus is removed, the list gets the focus. Call it in the component that renders the element. */
export function useFocusReturn(element: RefObject<HTMLElement>): void {
  useLayoutEffect(() => {
    const removed = element.current;
    // React runs this before it removes the element.
    return () => {
      if (removed?.contains(document.activeElement)) focusList();
    };
  }, [element]);
}
