import { useLanguage } from "../language";
import { Dialog } from "./dialog";
import { NameForm } from "./name-form";

interface NewFolderDialogProps {
  folderPath: string;
  others: readonly { name: string }[];
  /** @returns why it could not be made, for a person; null when it has been */
  onCreate(name: string): Promise<string | null>;
  onClose(): void;
}

export function NewFolderDialog({ folderPath, others, onCreate, onClose }: NewFolderDialogProps) {
  const { t } = useLanguage();
  return (
    <Dialog title={t("changes.newFolder")} onClose={onClose}>
      <NameForm label={t("name")} folderPath={folderPath} others={others} onSubmit={onCreate}>
        {(isBusy, create) => (
          <div className="dialog__buttons">
            <button type="button" className="button" onClick={onClose}>
              {t("changes.cancel")}
            </button>
            <button type="button" className="button button--primary" aria-disabled={isBusy} onClick={create}>
              {t("changes.create")}
            </button>
          </div>
        )}
      </NameForm>
    </Dialog>
  );
}
