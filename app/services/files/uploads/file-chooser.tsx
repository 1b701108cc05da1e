import { type RefObject, useCallback, useRef, useState } from "react";
import { Icon } from "../../../embed/components/icons";
import { useLanguage } from "../screen/language";
import { type Point, pointBelow } from "../screen/menu";

export interface FileChooser {
  files: RefObject<HTMLInputElement>;
  folder: RefObject<HTMLInputElement>;
  /** Opens the browser's dialog. Browsers allow that only while they handle a click or a key. */
  choose(what: "files" | "folder"): void;
  /** where the menu of the upload button is open; null while it is closed */
  menuAt: Point | null;
  openMenu(at: Point): void;
  closeMenu(): void;
}

export function useFileChooser(): FileChooser {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [menuAt, openMenu] = useState<Point | null>(null);
  const closeMenu = useCallback(() => openMenu(null), []);
  const choose = (what: "files" | "folder") => (what === "files" ? files : folder).current?.click();
  return { files, folder, choose, menuAt, openMenu, closeMenu };
}

interface FileInputsProps {
  chooser: FileChooser;
  onChoose(files: File[]): void;
}

/** The hidden fields behind every upload button and menu entry. */
export function FileInputs({ chooser, onChoose }: FileInputsProps) {
  const { t } = useLanguage();
  const take = (input: HTMLInputElement) => {
    onChoose([...(input.files ?? [])]);
    // Otherwise choosing the same file again would be no change.
    input.value = "";
  };
  return (
    <>
      {/* Without `accept`, a phone offers its camera and its photos as well. */}
      <input
        ref={chooser.files}
        type="file"
        multiple
        hidden
        aria-label={t("upload")}
        onChange={({ target }) => take(target)}
      />
      <input
        ref={chooser.folder}
        type="file"
        hidden
        aria-label={t("uploadFolder")}
        {...{ webkitdirectory: "" }}
        onChange={({ target }) => take(target)}
      />
    </>
  );
}

/** The toolbar's button. It opens a menu: files, or a folder. */
export function UploadButton({
  allowed,
  chooser,
}: {
  allowed: boolean;
  chooser: Pick<FileChooser, "openMenu">;
}) {
  const { t } = useLanguage();
  return (
    <button
      type="button"
      className="button button--primary"
      disabled={!allowed}
      aria-haspopup="menu"
      onClick={({ currentTarget }) => chooser.openMenu(pointBelow(currentTarget))}
    >
      <Icon name="upload" />
      <span>{t("upload")}</span>
      <Icon name="down" />
    </button>
  );
}

/** The buttons of an empty folder. */
export function UploadButtons({ choose }: Pick<FileChooser, "choose">) {
  const { t } = useLanguage();
  return (
    <>
      <button type="button" className="button button--primary" onClick={() => choose("files")}>
        <Icon name="upload" />
        <span>{t("uploadFiles")}</span>
      </button>
      <button type="button" className="button upload-folder" onClick={() => choose("folder")}>
        <Icon name="folderUp" />
        <span>{t("uploadFolder")}</span>
      </button>
    </>
  );
}
