import { Icon } from "../../../../embed/components/icons";
import { useLanguage } from "../language";
import type { FileChooser } from "./file-chooser";

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
