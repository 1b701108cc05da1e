import { type RefObject, useEffect, useRef } from "react";
import type { FileGridProps } from "./grid-props";

/** The next page is loaded when the end of the list comes this close to the visible area. */
const LOAD_MARGIN = "1200px";

interface ListEndProps extends Pick<FileGridProps, "onMore"> {
  list: RefObject<HTMLElement>;
}

/** Loads the next page when the person scrolls towards the end of the list. */
export function ListEnd({ list, onMore }: ListEndProps) {
  const end = useRef<HTMLDivElement>(null);
  const latest = useRef(onMore);
  latest.current = onMore;
  const isWaiting = onMore !== null;

  // Observed anew after each page: the end may still be visible.
  useEffect(() => {
    if (!end.current || !isWaiting) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) latest.current?.();
      },
      { root: list.current, rootMargin: LOAD_MARGIN },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [list, isWaiting]);

  return <div ref={end} className="list__end" />;
}
