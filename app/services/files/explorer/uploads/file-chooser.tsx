import { type RefObject, useRef } from "react";
import { useLanguage } from "../language";

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
