import { type MouseEvent, useEffect, useRef, useState } from "react";
import { PreviewBar } from "../preview-bar";
import { fitScale, type Size, SMALLEST_DRAWING } from "./fit-scale";
import { useZoom } from "./use-zoom";
import { onZoomKey, ZoomButtons } from "./zoom-buttons";

/** Browsers lay out nothing wider, CSS pixels. */
const WIDEST = 30_000;
/** The most that a pixel of an image is enlarged. */
const LARGEST = 8;

interface ZoomImageProps {
  src: string;
  name: string;
  onDrawn(): void;
  onError(): void;
}

/** An image that fits its place to begin with, and can be enlarged and moved about. */
export function ZoomImage({ src, name, onDrawn, onError }: ZoomImageProps) {
  const scroller = useRef<HTMLElement>(null);
  const [natural, setNatural] = useState<Size | null>(null);
  const place = usePlace(scroller);
  const isMeasured = natural !== null && place !== null;
  const fit = isMeasured ? fitScale(natural, place) : 1;
  const most = natural ? Math.max(Math.min(LARGEST / fit, WIDEST / (natural.width * fit)), 1) : 1;
  const zoom = useZoom(scroller, { least: 1, most, wheel: "always" });
  const width = natural ? natural.width * fit * zoom.level : undefined;

  /** Between the whole image and its own pixels; an image that is whole at its own pixels is enlarged. */
  const toggle = (event: MouseEvent) => {
    if (!natural) return;
    const enlarged = fit < 0.8 ? 1 / fit : 2.5;
    zoom.to(zoom.level > 1.01 ? 1 : enlarged, { x: event.clientX, y: event.clientY });
  };
  return (
    <div className="preview__zoom">
      <PreviewBar waiting={!isMeasured}>
        <ZoomButtons zoom={zoom} whole={1 / fit} />
      </PreviewBar>
      <section
        ref={scroller}
        className="preview__ground"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        tabIndex={0}
        aria-label={name}
        onDoubleClick={toggle}
        onKeyDown={(event) => onZoomKey(event, zoom)}
      >
        <img
          className={`preview__image${isMeasured ? "" : " preview__image--waiting"}${zoom.level > 1.01 ? " preview__image--large" : ""}`}
          src={src}
          alt={name}
          style={{ width }}
          decoding="async"
          draggable={false}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
            // A drawing may have no size of its own.
            const size = { width: naturalWidth, height: naturalHeight };
            setNatural(naturalWidth > 0 && naturalHeight > 0 ? size : SMALLEST_DRAWING);
            onDrawn();
          }}
          onError={onError}
        />
      </section>
    </div>
  );
}

/** The size of the place that there is, CSS pixels. */
function usePlace(scroller: React.RefObject<HTMLElement>): Size | null {
  const [place, setPlace] = useState<Size | null>(null);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    // Not the client size, which scroll bars change: the image would change its size for them, and they theirs for it.
    const observer = new ResizeObserver(() =>
      setPlace({ width: element.offsetWidth, height: element.offsetHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return place;
}
