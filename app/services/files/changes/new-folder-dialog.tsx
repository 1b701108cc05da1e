import { Dialog } from "../screen/dialog";
import { useLanguage } from "../screen/language";
import { NameForm, type NameFormProps } from "./name-form";

interface NewFolderDialogProps extends Pick<NameFormProps, "folderPath" | "others"> {
  /** @returns an error message for the person, or null when the folder has been created */
  onCreate(name: string): Promise<string | null>;
  onClose(): void;
}

export function NewFolderDialog({ onCreate, onClose, ...names }: NewFolderDialogProps) {
  const { t } = useLanguage();
  return (
    <Dialog title={t("changes.newFolder")} onClose={onClose}>
      <NameForm label={t("name")} {...names} onSubmit={onCreate} onCancel={onClose} />
    </Dialog>
  );
}
