import type { StorageClient } from "../../storage-client";
import type { FileEntry } from "../../storage-contract.server";
import { useLanguage } from "../language";
import { MediaPreview } from "./media-preview";
import { PdfPreview } from "./pdf/pdf-preview";
import { PreviewNote } from "./preview-note";
import { planPreview } from "./preview-plan";
import { TextPreview } from "./text/text-preview";
import { ImagePreview } from "./zoom/image-preview";

/** A file as its name and size say that it can be shown, or why it cannot. */
export function PreviewContent({ file, client }: { file: FileEntry; client: StorageClient }) {
  const { t, formats } = useLanguage();
  const plan = planPreview(file.name, file.size);
  switch (plan.show) {
    case "image":
      return <ImagePreview file={file} client={client} />;
    case "pdf":
      return <PdfPreview file={file} client={client} />;
    case "video":
    case "audio":
      return <MediaPreview file={file} kind={plan.show} client={client} />;
    case "text":
      return <TextPreview file={file} form={plan.form} client={client} />;
    case "nothing": {
      const texts = {
        "too-large": () => t("preview.tooLarge", { limit: formats.size("limit" in plan ? plan.limit : 0) }),
        empty: () => t("look.empty"),
        "no-preview": () => t("preview.none"),
      };
      return <PreviewNote name={file.name} text={texts[plan.because]()} />;
    }
    default:
      return plan satisfies never;
  }
}
