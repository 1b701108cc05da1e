import { type RefObject, useEffect, useLayoutEffect, useState } from "react";

/**
 * How many of the crumbs between root and open folder have no room in `line`: one more in each rendering until the open folder, its last
 * child, is whole. The root comes last.
 * @param above how many there are above the open folder
 */
export function useFolding(line: RefObject<HTMLElement>, path: string, above: number): number {
  const [folding, setFolding] = useState({ path, folded: 0, width: 0 });
  const folded = folding.path === path ? Math.min(folding.folded, above) : 0;

  useLayoutEffectInBrowser(() => {
    const here = line.current?.querySelector("h1");
    if (!line.current || !here || folded === above) return;
    const isCut = line.current.scrollWidth > line.current.clientWidth || here.scrollWidth > here.clientWidth;
    if (isCut) setFolding(({ width }) => ({ path, folded: folded + 1, width }));
  });

  useEffect(() => {
    if (!line.current) return;
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.round(entry?.contentRect.width ?? 0);
      setFolding((before) => (before.width === width ? before : { ...before, folded: 0, width }));
    });
    observer.observe(line.current);
    return () => observer.disconnect();
  }, [line]);

  return folded;
}

/** React warns of layout effects on the server, where there is nothing to lay out. */
const useLayoutEffectInBrowser = typeof document === "undefined" ? useEffect : useLayoutEffect;
