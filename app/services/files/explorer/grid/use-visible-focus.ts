import { type RefObject, useEffect } from "react";

/** Keeps the row that has the focus in view where the list becomes lower: a bar has appeared below it. */
export function useVisibleFocus(list: RefObject<HTMLElement>): void {
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    let height = element.clientHeight;
    const observer = new ResizeObserver(() => {
      const before = height;
      height = element.clientHeight;
      const row = element.contains(document.activeElement) && document.activeElement?.closest("[data-row]");
      if (!row) return;
      const end = row.getBoundingClientRect().bottom - element.getBoundingClientRect().top;
      // One that was out of view already has been scrolled away by the person.
      if (end > height && end <= before + 1) row.scrollIntoView({ block: "nearest" });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [list]);
}
