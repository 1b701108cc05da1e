import { type RefObject, useEffect, useRef } from "react";

/** CSS pixels; shorter movements are taps that slipped. */
const MIN_DISTANCE = 48;
/** A swipe is this many times wider than it is high. */
const MIN_STRAIGHTNESS = 2;

/**
 * Calls `onSwipe` when one finger swipes sideways over `element`. What can be scrolled sideways, such as an enlarged picture, and controls keep
 * the movement for themselves.
 */
export function useSwipe(
  element: RefObject<HTMLElement>,
  onSwipe: (direction: "left" | "right") => void,
): void {
  const latest = useRef(onSwipe);
  latest.current = onSwipe;
  useEffect(() => {
    const area = element.current;
    if (!area) return;
    const stop = new AbortController();
    const { signal } = stop;
    let start: Touch | null = null;
    const isSideways = ({ clientX, clientY }: Touch, from: Touch) =>
      Math.abs(clientX - from.clientX) > Math.abs(clientY - from.clientY) * MIN_STRAIGHTNESS;
    const onTouchStart = ({ touches, target }: TouchEvent) => {
      const isFree = touches.length === 1 && target instanceof Element && !isUsed(target, area);
      start = (isFree && touches[0]) || null;
    };
    const onTouchMove = (event: TouchEvent) => {
      const touch = event.changedTouches[0];
      // Otherwise the browser may take it as its gesture for going back in its history.
      if (start && touch && event.cancelable && isSideways(touch, start)) event.preventDefault();
    };
    const onTouchEnd = ({ changedTouches }: TouchEvent) => {
      const [from, touch] = [start, changedTouches[0]];
      start = null;
      if (!from || !touch || document.getSelection()?.isCollapsed === false) return;
      const width = touch.clientX - from.clientX;
      if (Math.abs(width) >= MIN_DISTANCE && isSideways(touch, from))
        latest.current(width < 0 ? "left" : "right");
    };
    area.addEventListener("touchstart", onTouchStart, { signal, passive: true });
    area.addEventListener("touchmove", onTouchMove, { signal, passive: false });
    area.addEventListener("touchend", onTouchEnd, { signal });
    area.addEventListener(
      "touchcancel",
      () => {
        start = null;
      },
      { signal },
    );
    return () => stop.abort();
  }, [element]);
}

/** Whether something between `target` and `end` moves sideways by itself, or the whole page is enlarged. */
function isUsed(target: Element, end: Element): boolean {
  if (target.closest("input, select, textarea, video, audio, [role=menu]")) return true;
  if ((visualViewport?.scale ?? 1) > 1) return true;
  for (let element: Element | null = target; element && element !== end; element = element.parentElement) {
    const isScrollable = /auto|scroll/.test(getComputedStyle(element).overflowX);
    if (isScrollable && element.scrollWidth > element.clientWidth) return true;
  }
  return false;
}
