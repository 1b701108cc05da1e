import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

export interface Zoom {
  /** 1 is as large as fits */
  level: number;
  /** about the middle of what is seen, unless a point of the window is given, CSS pixels */
  to(level: number, point?: Point): void;
  by(factor: number, point?: Point): void;
}

interface Point {
  x: number;
  y: number;
}

interface ZoomOptions {
  least: number;
  most: number;
  /** whether the wheel zooms by itself, or only with Ctrl, which is also how a browser tells a pinch on a touchpad */
  wheel: "always" | "with-control";
}

/** One press of a key or a button. */
export const ZOOM_STEP = 1.4;
/** What a wheel says is pixels; so many of them double. */
const WHEEL_DOUBLE = 260;

/**
 * Zooms what scrolls inside `scroller` by buttons, wheel and pinch, about the point that is pointed at. The content takes its size from
 * `level`; moving about in it is the browser's own scrolling, with all its keys and gestures, and for a mouse, dragging.
 */
export function useZoom(scroller: RefObject<HTMLElement>, { least, most, wheel }: ZoomOptions): Zoom {
  const [level, setLevel] = useState(1);
  /** the share of the content that stays where it is on the screen while the size changes */
  const anchor = useRef<{ share: Point; offset: Point } | null>(null);

  const to = (wanted: number, point?: Point) => {
    const element = scroller.current;
    if (!element) return;
    const box = element.getBoundingClientRect();
    const offset = {
      x: (point?.x ?? box.left + element.clientWidth / 2) - box.left,
      y: (point?.y ?? box.top + element.clientHeight / 2) - box.top,
    };
    const share = {
      x: (element.scrollLeft + offset.x) / element.scrollWidth,
      y: (element.scrollTop + offset.y) / element.scrollHeight,
    };
    anchor.current = { share, offset };
    setLevel(Math.min(Math.max(wanted, least), most));
  };
  const by = (factor: number, point?: Point) => to(latest.current * factor, point);
  const latest = useRef(level);
  latest.current = level;
  const listeners = useRef({ by });
  listeners.current = { by };

  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the level, when the content has its new size
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !anchor.current) return;
    const { share, offset } = anchor.current;
    anchor.current = null;
    element.scrollLeft = share.x * element.scrollWidth - offset.x;
    element.scrollTop = share.y * element.scrollHeight - offset.y;
  }, [level, scroller]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const zoomBy = (factor: number, point: Point) => listeners.current.by(factor, point);
    const onWheel = (event: WheelEvent) => {
      if (event.shiftKey || (wheel === "with-control" && !event.ctrlKey && !event.metaKey)) return;
      event.preventDefault();
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 33;
      // A pinch on a touchpad comes in far smaller steps than a wheel.
      const speed = event.ctrlKey && Math.abs(pixels) < 40 ? 4 : 1;
      zoomBy(2 ** ((-pixels * speed) / WHEEL_DOUBLE), { x: event.clientX, y: event.clientY });
    };
    const stopPinch = listenForPinch(element, zoomBy);
    const stopDrag = listenForDrag(element);
    // Not passive: the page around must not scroll or zoom as well.
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      stopPinch();
      stopDrag();
      element.removeEventListener("wheel", onWheel);
    };
  }, [scroller, wheel]);

  return { level, to, by };
}

/** Two fingers; one scrolls, as everywhere. */
function listenForPinch(element: HTMLElement, zoomBy: (factor: number, point: Point) => void): () => void {
  let before: number | null = null;
  const onTouch = (event: TouchEvent) => {
    const [one, two] = event.touches;
    if (!one || !two) {
      before = null;
      return;
    }
    event.preventDefault();
    const distance = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
    if (before !== null && distance > 0) {
      zoomBy(distance / before, { x: (one.clientX + two.clientX) / 2, y: (one.clientY + two.clientY) / 2 });
    }
    before = distance;
  };
  const kinds = ["touchstart", "touchmove", "touchend", "touchcancel"] as const;
  for (const kind of kinds) element.addEventListener(kind, onTouch, { passive: false });
  return () => {
    for (const kind of kinds) element.removeEventListener(kind, onTouch);
  };
}

/** A mouse that is held moves what lies under it; text that can be selected is left to selecting. */
function listenForDrag(element: HTMLElement): () => void {
  let last: Point | null = null;
  const onDown = (event: PointerEvent) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    if (!(event.target instanceof HTMLElement) || event.target.closest(".textLayer")) return;
    const box = element.getBoundingClientRect();
    const onScrollBar =
      event.clientX - box.left >= element.clientWidth || event.clientY - box.top >= element.clientHeight;
    if (onScrollBar) return;
    last = { x: event.clientX, y: event.clientY };
    element.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent) => {
    if (!last) return;
    element.scrollBy(last.x - event.clientX, last.y - event.clientY);
    last = { x: event.clientX, y: event.clientY };
  };
  const onUp = () => {
    last = null;
  };
  element.addEventListener("pointerdown", onDown);
  element.addEventListener("pointermove", onMove);
  element.addEventListener("pointerup", onUp);
  element.addEventListener("pointercancel", onUp);
  return () => {
    element.removeEventListener("pointerdown", onDown);
    element.removeEventListener("pointermove", onMove);
    element.removeEventListener("pointerup", onUp);
    element.removeEventListener("pointercancel", onUp);
  };
}
