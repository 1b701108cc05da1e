import { useLanguage } from "../../language";
import { DownloadNote } from "../preview-elements";
import type { OfficeRefusal } from "./unpack";

interface OfficeRefusedProps {
  name: string;
  refusal: OfficeRefusal;
  onDownload(): void;
}

/** Why a file of an office program is not shown. */
export function OfficeRefused({ refusal, ...note }: OfficeRefusedProps) {
  const { t } = useLanguage();
  const texts: Record<OfficeRefusal, string> = {
    "too-complex": t("preview.tooComplex"),
    protected: t("preview.protected"),
    damaged: t("preview.damaged"),
  };
  return <DownloadNote {...note} text={texts[refusal]} alert />;
}
