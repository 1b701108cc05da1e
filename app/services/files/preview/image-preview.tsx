import type { FilesClient } from "platform-embed-element/client";
import { type MouseEvent, useEffect, useRef, useState } from "react";
import { visibleText } from "../../../locales/visible-text";
import { drawableFormats } from "../browse/content-format";
import { extensionOf } from "../browse/file-kind";
import type { DrawingRequest, DrawingResponse } from "../browse/pictures/drawing/drawing.worker";
import { frameCount } from "../browse/pictures/frame-count";
import { imageSize } from "../browse/pictures/image-size";
import { isCutJpeg } from "../browse/pictures/is-cut-jpeg";
import { imageTypeOf } from "../browse/pictures/make-thumbnail";
import { recognizeFormat } from "../browse/recognize-format";
import { type Refusal, runWorker } from "../browse/run-worker";
import { contentId } from "../place/content-of";
import type { FileEntry } from "../place/contract/storage-contract.server";
import { useLanguage } from "../screen/language";
import { fetchObject, objectUrl } from "./fetch-object";
import { PreviewBar, PreviewProblem, PreviewWait, RefusedNote } from "./preview-elements";
import { MAX_IMAGE_BYTES } from "./preview-plan";
import { useLoaded } from "./use-loaded";
import { onZoomKey, useZoom, ZoomButtons } from "./zoom";

/** For an SVG; a usual one takes a hundredth of this. */
const DRAWING_TIMEOUT_MS = 10_000;
/** Browsers take up to 8 bytes for each pixel, and a small file can be a huge picture. The largest photos of most phones have 108 million. */
const MAX_PIXELS = 120_000_000;
/** Of an animation: it takes as much memory as a photo of its size, and is smaller. A screen of 5K has 15 million. */
const MAX_ANIMATED_PIXELS = 16_000_000;
/** Ten minutes of a usual animation. A browser keeps some hundred bytes of each. */
const MAX_FRAMES = 10_000;

interface ImagePreviewProps {
  file: FileEntry;
  client: FilesClient;
}

/** An `img`, which runs no scripts of an SVG. */
export function ImagePreview({ file, client }: ImagePreviewProps) {
  const [isDrawn, setDrawn] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const checked = useLoaded(
    async (signal): Promise<{ url?: string; refusal?: Refusal; isCut?: boolean }> => {
      const bytes = await fetchObject(client, file, MAX_IMAGE_BYTES, signal);
      const picture = await checkPicture(file.name, bytes, signal);
      if ("refusal" in picture) return picture;
      // The refusal is for a picture that the browser cannot decode.
      return {
        url: objectUrl(picture.blob, signal),
        refusal: refusalOfImage(bytes),
        isCut: isCutJpeg(bytes),
      };
    },
    [client, contentId(file), file.etag],
  );
  if (checked.state === "failed") return <PreviewProblem name={file.name} problem={checked.problem} />;
  const { url, refusal, isCut } = checked.state === "ready" ? checked.value : {};
  if (refusal && (isBroken || !url)) return <RefusedNote name={file.name} refusal={refusal} />;
  return (
    <>
      {!isDrawn && <PreviewWait />}
      {url && (
        <ZoomImage
          src={url}
          name={file.name}
          isCut={isCut}
          onLoad={() => setDrawn(true)}
          onError={() => setBroken(true)}
        />
      )}
    </>
  );
}

/** The picture, if drawing it does not cost too much. What a browser says of its size is not enough: metadata of a picture can change that. */
export async function checkPicture(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<{ blob: Blob } | { refusal: Refusal }> {
  if (extensionOf(name) === "svg") {
    const request: DrawingRequest = { bytes, place: "preview" };
    const response = await runWorker<DrawingResponse>("drawing", request, DRAWING_TIMEOUT_MS, signal);
    if (response === null) return { refusal: "too-complex" };
    return "refusal" in response ? response : { blob: response.drawing };
  }
  const size = imageSize(bytes);
  if (size === null) return { refusal: refusalOfImage(bytes) };
  const frames = frameCount(bytes);
  const maxPixels = frames > 1 ? MAX_ANIMATED_PIXELS : MAX_PIXELS;
  if (size.width * size.height > maxPixels || frames > MAX_FRAMES) return { refusal: "too-complex" };
  return { blob: new Blob([bytes], { type: imageTypeOf(name) }) };
}

/** Why the browser does not draw a file. */
function refusalOfImage(bytes: Uint8Array): Refusal {
  const contentFormat = recognizeFormat(bytes);
  return contentFormat === null || drawableFormats.has(contentFormat) ? "damaged" : { contentFormat };
}

/** Browsers do not lay out wider elements, CSS pixels. */
const MAX_WIDTH = 30_000;
/** CSS pixels for one pixel of the image. */
const MAX_ENLARGEMENT = 8;

interface ZoomImageProps {
  src: string;
  name: string;
  /** The file ends too early. */
  isCut?: boolean;
  onLoad(): void;
  onError(): void;
}

/** An image that can be zoomed and panned. */
export function ZoomImage({ src, name, isCut = false, onLoad, onError }: ZoomImageProps) {
  const { t } = useLanguage();
  const scroller = useRef<HTMLElement>(null);
  const [natural, setNatural] = useState<Size | null>(null);
  const place = usePlace(scroller);
  const isMeasured = natural !== null && place !== null;
  const fit = isMeasured ? fitScale(natural, place) : 1;
  const most = natural ? Math.max(Math.min(MAX_ENLARGEMENT / fit, MAX_WIDTH / (natural.width * fit)), 1) : 1;
  const zoom = useZoom(scroller, { least: 1, most, wheel: "always" });
  const width = natural ? natural.width * fit * zoom.level : undefined;

  /** Toggles between the whole image and its original size, or an enlargement if it fits at its original size. */
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
      {isCut && <p className="preview__cut">{t("preview.pictureCut")}</p>}
      <section
        ref={scroller}
        className="preview__ground"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        tabIndex={0}
        aria-label={visibleText(name)}
        onDoubleClick={toggle}
        onKeyDown={(event) => onZoomKey(event, zoom)}
      >
        <img
          className={`preview__image${isMeasured ? "" : " preview__image--waiting"}${zoom.level > 1.01 ? " preview__image--large" : ""}`}
          src={src}
          alt={visibleText(name)}
          style={{ width }}
          decoding="async"
          draggable={false}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
            // An SVG may have no size.
            const size = { width: naturalWidth, height: naturalHeight };
            setNatural(naturalWidth > 0 && naturalHeight > 0 ? size : DEFAULT_DRAWING_SIZE);
            onLoad();
          }}
          onError={onError}
        />
      </section>
    </div>
  );
}

/** The available size, CSS pixels. */
function usePlace(scroller: React.RefObject<HTMLElement>): Size | null {
  const [place, setPlace] = useState<Size | null>(null);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    // Not the client size: scroll bars change it, and the image would flicker.
    const observer = new ResizeObserver(() =>
      setPlace({ width: element.offsetWidth, height: element.offsetHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return place;
}

interface Size {
  width: number;
  height: number;
}

/** Around an image that fits, CSS pixels; less in small places. */
const MARGIN = 24;
/** For an SVG without a size. */
const DEFAULT_DRAWING_SIZE: Size = { width: 320, height: 320 };

/** The scale at which the whole image is visible, at most 1. */
function fitScale(image: Size, place: Size): number {
  const margin = Math.min(MARGIN, place.width * 0.04, place.height * 0.04) * 2;
  return Math.min((place.width - margin) / image.width, (place.height - margin) / image.height, 1);
}
