import { useRef } from "react";
import type { StorageClient } from "../../../storage-client";
import type { FileEntry } from "../../../storage-contract.server";
import { fetchObject } from "../fetch-object";
import { PreviewBar } from "../preview-bar";
import { PreviewProblem, PreviewWait } from "../preview-note";
import { useLoaded } from "../use-loaded";
import { useZoom } from "../zoom/use-zoom";
import { onZoomKey, ZoomButtons } from "../zoom/zoom-buttons";
import { type OpenPdf, openPdf } from "./open-pdf.client";
import { PdfPage } from "./pdf-page";

/**
 * Drawn by PDF.js, loaded when first needed: browsers do not run their own viewer in a sandboxed frame, and phones have none.
 */
export function PdfPreview({ file, client }: { file: FileEntry; client: StorageClient }) {
  const opened = useLoaded(
    async (signal) => {
      const pdf = await openPdf(await fetchObject(client, file.key, signal));
      if (signal.aborted) pdf.close();
      else signal.addEventListener("abort", pdf.close);
      const first = await pdf.document.getPage(1);
      const { width, height } = first.getViewport({ scale: 1 });
      return { pdf, ratio: width / height };
    },
    [client, file.key, file.etag],
  );
  if (opened.state === "loading") return <PreviewWait />;
  if (opened.state === "failed") return <PreviewProblem name={file.name} problem={opened.problem} />;
  return <Pages name={file.name} {...opened.value} />;
}

function Pages({ name, pdf, ratio }: { name: string; pdf: OpenPdf; ratio: number }) {
  const scroller = useRef<HTMLDivElement>(null);
  const zoom = useZoom(scroller, { least: 0.5, most: 5, wheel: "with-control" });
  return (
    <div className="preview__zoom">
      <PreviewBar>
        <ZoomButtons zoom={zoom} whole={1} />
      </PreviewBar>
      <div
        ref={scroller}
        className="preview__pages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        tabIndex={0}
        role="document"
        aria-label={name}
        onKeyDown={(event) => onZoomKey(event, zoom)}
      >
        {Array.from({ length: pdf.document.numPages }, (_, index) => index + 1).map((number) => (
          <PdfPage key={number} pdf={pdf} number={number} firstRatio={ratio} zoom={zoom.level} />
        ))}
      </div>
    </div>
  );
}
