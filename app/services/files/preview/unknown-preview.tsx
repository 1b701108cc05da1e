import type { FilesClient } from "platform-embed-element/client";
import { useContext } from "react";
import { RECOGNIZED_BYTES } from "../browse/content-format";
import { extensionOf } from "../browse/file-kind";
import { recognizeFormat } from "../browse/recognize-format";
import type { Refusal } from "../browse/run-worker";
import { contentId } from "../place/content-of";
import type { FileEntry } from "../place/contract/storage-contract.server";
import { useLanguage } from "../screen/language";
import { fetchBeginning } from "./fetch-object";
import { refusalOfCompoundFile } from "./office/compound-file";
import { DownloadNote, PreviewOfFormat, PreviewProblem, PreviewWait, RefusedNote } from "./preview-elements";
import { useLoaded } from "./use-loaded";

/** Raw photos of most cameras are TIFF files, which no program for TIFF develops: they are called by their extension. */
function formatOf(name: string, format: string | null): string | null {
  const extension = extensionOf(name);
  const isRaw = format === "TIFF" && extension !== "" && !extension.startsWith("tif");
  return isRaw ? extension.toUpperCase() : format;
}

interface UnknownPreviewProps {
  file: FileEntry;
  client: FilesClient;
}

/** A file whose name does not tell how to show it: its content does, or there is no preview of its format. */
export function UnknownPreview({ file, client }: UnknownPreviewProps) {
  const { t } = useLanguage();
  const previewOf = useContext(PreviewOfFormat);
  const read = useLoaded(
    async (signal): Promise<{ refusal: Refusal } | { format: string | null }> => {
      const { bytes } = await fetchBeginning(client, file, RECOGNIZED_BYTES, signal);
      const refusal = refusalOfCompoundFile(bytes, file.name);
      // Outlook writes such files to this day.
      if (refusal && extensionOf(file.name) === "msg") return { format: "Outlook" };
      if (refusal) return { refusal };
      return { format: formatOf(file.name, recognizeFormat(bytes)) };
    },
    [client, contentId(file), file.etag],
  );
  if (read.state === "loading") return <PreviewWait />;
  if (read.state === "failed") return <PreviewProblem name={file.name} problem={read.problem} />;
  if ("refusal" in read.value) return <RefusedNote name={file.name} refusal={read.value.refusal} />;
  const { format } = read.value;
  const shown = format === null ? null : previewOf(format);
  if (shown) return shown;
  const text = format === null ? t("preview.none") : t("preview.noneOf", { format });
  return <DownloadNote name={file.name} text={text} role="alert" />;
}
