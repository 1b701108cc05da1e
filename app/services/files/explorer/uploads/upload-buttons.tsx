import { useRef } from "react";
import { Icon } from "../icons";
import { useLanguage } from "../language";
import type { Uploads } from "./use-uploads";

interface UploadButtonsProps extends Pick<Uploads, "allowed" | "add"> {
  /** with a label on the second button, too */
  wide?: boolean;
}

/** One button to choose files, and one to choose a folder with everything in it. */
export function UploadButtons({ allowed, add, wide }: UploadButtonsProps) {
  const { t } = useLanguage();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = (input: HTMLInputElement) => {
    add([...(input.files ?? [])]);
    // Otherwise choosing the same file again would be no change.
    input.value = "";
  };
  return (
    <>
      <button
        type="button"
        className="button button--primary"
        disabled={!allowed}
        onClick={() => files.current?.click()}
      >
        <Icon name="upload" />
        <span>{t("upload")}</span>
      </button>
      {/* Without `accept`, a phone offers its camera and its photos as well. */}
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={t("upload")}
        onChange={({ target }) => take(target)}
      />
      <button
        type="button"
        className={`upload-folder ${wide ? "button" : "icon-button"}`}
        disabled={!allowed}
        aria-label={t("uploadFolder")}
        title={t("uploadFolder")}
        onClick={() => folder.current?.click()}
      >
        <Icon name="folderUp" />
        {wide && <span>{t("uploadFolder")}</span>}
      </button>
      <input
        ref={folder}
        type="file"
        hidden
        aria-label={t("uploadFolder")}
        {...{ webkitdirectory: "" }}
        onChange={({ target }) => take(target)}
      />
    </>
  );
}
