import { useModal } from "../dialog";
import { fileKind } from "../file-kind";
import type { Row } from "../folder/folder-state";
import { FileIcon, IconButton } from "../icons";
import { useLanguage } from "../language";
import { DetailsList } from "./details-list";

interface DetailsDialogProps {
  row: Row;
  rootPath: string;
  onClose(): void;
}

/** Details of a file or folder, in frames without room for the panel. */
export default function DetailsDialog({ row, rootPath, onClose }: DetailsDialogProps) {
  const { t } = useLanguage();
  const { modal } = useModal(onClose);
  return (
    <dialog {...modal} className="modal details-dialog" aria-label={t("look.detailsOf", { name: row.name })}>
      <header className="details-head">
        <FileIcon kind={row.type === "folder" ? "folder" : fileKind(row.name)} />
        <h2>{t("look.details")}</h2>
        <IconButton icon="close" label={t("preview.close")} onClick={onClose} />
      </header>
      <DetailsList row={row} rootPath={rootPath} />
    </dialog>
  );
}
