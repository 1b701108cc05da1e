import { useLayoutEffect, useRef } from "react";
import { fileKind } from "../file-kind";
import type { Row } from "../folder/folder-state";
import { IconButton } from "../icon-button";
import { FileIcon } from "../icons";
import { useLanguage } from "../language";
import { DetailsList } from "./details-list";

/** What is known of a row of the list. Loaded when it is first asked for. */
export default function DetailsDialog({ row, onClose }: { row: Row; onClose(): void }) {
  const { t } = useLanguage();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too
    <dialog
      ref={dialog}
      className="details-dialog"
      aria-label={t("look.detailsOf", { name: row.name })}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <header className="details-dialog__head">
        <FileIcon kind={row.type === "folder" ? "folder" : fileKind(row.name)} />
        <h2>{t("look.details")}</h2>
        <IconButton icon="close" label={t("preview.close")} onClick={onClose} />
      </header>
      <DetailsList row={row} />
    </dialog>
  );
}
