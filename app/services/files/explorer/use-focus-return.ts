import { type RefObject, useLayoutEffect } from "react";

/** When an element that contains the focus is removed, the list gets the focus. Call it in the component that renders the element. */
export function useFocusReturn(element: RefObject<HTMLElement>): void {
  useLayoutEffect(() => {
    const removed = element.current;
    // React runs this before it removes the element.
    return () => {
      if (!removed?.contains(document.activeElement)) return;
      removed.closest(".explorer")?.querySelector<HTMLElement>(".main")?.focus({ preventScroll: true });
    };
  }, [element]);
}
