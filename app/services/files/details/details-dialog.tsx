import type { Row } from "platform-embed-element/client";
import { IconButton } from "../../../embed/components/icons";
import { FileIcon } from "../browse/file-icon";
import { fileKind } from "../browse/file-kind";
import type { Thumbnails } from "../browse/pictures/thumbnails";
import { useModal } from "../screen/dialog";
import { useLanguage } from "../screen/language";
import { DetailsList, DetailsPicture } from "./details-list";
import type { Details } from "./use-details";

interface DetailsDialogProps {
  row: Row;
  rootPath: string;
  thumbnails: Thumbnails | null;
  sections: Pick<Details, "activity" | "versions" | "sizes">;
  onClose(): void;
}

/** Details of a file or folder, in frames without room for the panel. */
export function DetailsDialog({ row, rootPath, thumbnails, sections, onClose }: DetailsDialogProps) {
  const { t } = useLanguage();
  const { modal } = useModal(onClose);
  return (
    <dialog {...modal} className="modal details-dialog" aria-label={t("look.detailsOf", { name: row.name })}>
      <header className="details-head">
        <FileIcon kind={row.type === "folder" ? "folder" : fileKind(row.name)} />
        <h2>{t("look.details")}</h2>
        <IconButton icon="close" label={t("preview.close")} onClick={onClose} />
      </header>
      <DetailsPicture row={row} thumbnails={thumbnails} />
      <DetailsList row={row} rootPath={rootPath} sections={sections} />
    </dialog>
  );
}
