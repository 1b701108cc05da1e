import { fileKind } from "../file-kind";
import type { Row } from "../folder/folder-state";
import { IconButton } from "../icon-button";
import { FileIcon } from "../icons";
import { useLanguage } from "../language";
import { useModal } from "../use-modal";
import { DetailsList } from "./details-list";

/** What is known of a row of the list. Loaded when it is first asked for. */
export default function DetailsDialog({ row, onClose }: { row: Row; onClose(): void }) {
  const { t } = useLanguage();
  const { modal } = useModal(onClose);
  return (
    <dialog {...modal} className="modal details-dialog" aria-label={t("look.detailsOf", { name: row.name })}>
      <header className="details-dialog__head">
        <FileIcon kind={row.type === "folder" ? "folder" : fileKind(row.name)} />
        <h2>{t("look.details")}</h2>
        <IconButton icon="close" label={t("preview.close")} onClick={onClose} />
      </header>
      <DetailsList row={row} />
    </dialog>
  );
}
