import { useLanguage } from "../screen/language";
import { Menu, type Point } from "../screen/menu";
import type { FileChooser } from "./file-chooser";

interface UploadMenuProps {
  at: Point;
  chooser: Pick<FileChooser, "choose" | "closeMenu">;
}

/** What the upload button offers: files, or a folder with everything in it. */
export function UploadMenu({ at, chooser: { choose, closeMenu } }: UploadMenuProps) {
  const { t } = useLanguage();
  const entries = [
    { name: t("uploadFiles"), icon: "upload", run: () => choose("files") },
    { name: t("uploadFolder"), icon: "folderUp", run: () => choose("folder") },
  ] as const;
  return <Menu label={t("upload")} entries={[...entries]} at={at} onClose={closeMenu} />;
}
