import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { IconButton } from "../../../embed/components/icons";
import { useLanguage } from "../screen/language";

export interface Zoom {
  /** 1: the content fits */
  level: number;
  /** @param point of the window that stays in place, CSS pixels; by default the middle of the visible area */
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
  /** whether the wheel zooms without Ctrl. Browsers report a pinch on a touchpad as a wheel with Ctrl. */
  wheel: "always" | "with-control";
}

/** Factor of one key press or click. */
const ZOOM_STEP = 1.4;
/** Pixels of wheel movement that double the size. */
const WHEEL_DOUBLE = 260;

/**
 * Zooms the content of `scroller` by buttons, wheel and pinch. The content takes its size from `level`; panning is the browser's own
 * scrolling, and dragging with the mouse.
 */
export function useZoom(scroller: RefObject<HTMLElement>, { least, most, wheel }: ZoomOptions): Zoom {
  const [level, setLevel] = useState(1);
  /** the point of the content (as a share of its size) that stays in place on the screen */
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
  const by = (factor: number, point?: Point): void => to(latest.current.level * factor, point);
  const latest = useRef({ level, by });
  latest.current = { level, by };

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each change of the level, when the content has its new size
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
    const stop = new AbortController();
    const { signal } = stop;
    const zoomBy = (factor: number, point: Point) => latest.current.by(factor, point);
    const onWheel = (event: WheelEvent) => {
      if (event.shiftKey || (wheel === "with-control" && !event.ctrlKey && !event.metaKey)) return;
      event.preventDefault();
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 33;
      // A pinch on a touchpad has much smaller steps than a wheel.
      const speed = event.ctrlKey && Math.abs(pixels) < 40 ? 4 : 1;
      zoomBy(2 ** ((-pixels * speed) / WHEEL_DOUBLE), { x: event.clientX, y: event.clientY });
    };
    // Not passive: otherwise the embedding page scrolls or zooms, too.
    element.addEventListener("wheel", onWheel, { passive: false, signal });
    listenForPinch(element, zoomBy, signal);
    listenForDrag(element, signal);
    return () => stop.abort();
  }, [scroller, wheel]);

  return { level, to, by };
}

/** Zooms with two fingers; one finger scrolls. */
function listenForPinch(
  element: HTMLElement,
  zoomBy: (factor: number, point: Point) => void,
  signal: AbortSignal,
): void {
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
  for (const kind of ["touchstart", "touchmove", "touchend", "touchcancel"] as const)
    element.addEventListener(kind, onTouch, { passive: false, signal });
}

/** Pans by dragging with the mouse, except on selectable text. */
function listenForDrag(element: HTMLElement, signal: AbortSignal): void {
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
  element.addEventListener("pointerdown", onDown, { signal });
  element.addEventListener("pointermove", onMove, { signal });
  element.addEventListener("pointerup", onUp, { signal });
  element.addEventListener("pointercancel", onUp, { signal });
}

interface ZoomButtonsProps {
  zoom: Zoom;
  /** the level that is shown as 100% */
  whole: number;
}

export function ZoomButtons({ zoom, whole }: ZoomButtonsProps) {
  const { t, formats } = useLanguage();
  return (
    <>
      <IconButton icon="zoomOut" label={t("look.zoomOut")} onClick={() => zoom.by(1 / ZOOM_STEP)} />
      <output className="preview__percent" aria-label={t("look.zoom")}>
        {formats.percent(zoom.level / whole)}
      </output>
      <IconButton icon="zoomIn" label={t("look.zoomIn")} onClick={() => zoom.by(ZOOM_STEP)} />
      <button type="button" className="button button--small" onClick={() => zoom.to(1)}>
        {t("look.fit")}
      </button>
    </>
  );
}

/** Keys that zoom. In enlarged content, the arrow keys scroll instead of leading to the next file. */
export function onZoomKey(event: KeyboardEvent<HTMLElement>, zoom: Zoom): void {
  const element = event.currentTarget;
  const scrolls = element.scrollWidth > element.clientWidth + 1;
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "+" || event.key === "=") zoom.by(ZOOM_STEP);
  else if (event.key === "-" || event.key === "_") zoom.by(1 / ZOOM_STEP);
  else if (event.key === "0") zoom.to(1);
  else {
    if (scrolls && (event.key === "ArrowLeft" || event.key === "ArrowRight")) event.stopPropagation();
    return;
  }
  event.preventDefault();
}
