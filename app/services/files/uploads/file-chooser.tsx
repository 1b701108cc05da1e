import { type RefObject, useRef } from "react";
import { Icon } from "../../../embed/components/icons";
import { useLanguage } from "../screen/language";

export interface FileChooser {
  files: RefObject<HTMLInputElement>;
  folder: RefObject<HTMLInputElement>;
  /** Opens the browser's dialog. Browsers allow that only while they handle a click or a key. */
  choose(what: "files" | "folder"): void;
}

export function useFileChooser(): FileChooser {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  return { files, folder, choose: (what) => (what === "files" ? files : folder).current?.click() };
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

interface UploadButtonsProps extends Pick<FileChooser, "choose"> {
  allowed: boolean;
  /** also a button to choose a folder with everything in it */
  withFolder?: boolean;
}

export function UploadButtons({ allowed, choose, withFolder }: UploadButtonsProps) {
  const { t } = useLanguage();
  return (
    <>
      <button
        type="button"
        className="button button--primary"
        disabled={!allowed}
        onClick={() => choose("files")}
      >
        <Icon name="upload" />
        <span>{t("upload")}</span>
      </button>
      {withFolder && (
        <button
          type="button"
          className="button upload-folder"
          disabled={!allowed}
          onClick={() => choose("folder")}
        >
          <Icon name="folderUp" />
          <span>{t("uploadFolder")}</span>
        </button>
      )}
    </>
  );
}
