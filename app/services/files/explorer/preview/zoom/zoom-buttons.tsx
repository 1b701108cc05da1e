import type { KeyboardEvent } from "react";
import { IconButton } from "../../icon-button";
import { useLanguage } from "../../language";
import { ZOOM_STEP, type Zoom } from "./use-zoom";

interface ZoomButtonsProps {
  zoom: Zoom;
  /** what is written as 100%: the level at which a pixel of an image is a pixel of the screen, or 1 */
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

/** Keys that zoom, and those that move about in what is larger than its place and would otherwise lead to the next file. */
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
