import { useRef } from "react";
import { Icon } from "../../../embed/components/icons";
import { useLanguage } from "../explorer/language";
import { typeNames } from "../explorer/uploads/type-names";
import type { UploadLimits } from "../upload-limits";

interface HandInZoneProps {
  limits: UploadLimits;
  /** something has been chosen already: the zone takes less room */
  hasFiles: boolean;
  onChoose(files: File[]): void;
}

/** Where files come from: dropped anywhere on the page, chosen, or taken with a phone's camera. */
export function HandInZone({ limits, hasFiles, onChoose }: HandInZoneProps) {
  const { t, formats } = useLanguage();
  const files = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const { maxFileBytes, fileTypes } = limits;
  const take = ({ target }: { target: HTMLInputElement }) => {
    onChoose([...(target.files ?? [])]);
    // Otherwise choosing the same file again would be no change.
    target.value = "";
  };
  const hints = [
    fileTypes !== undefined &&
      fileTypes.length > 0 &&
      t("handIn.onlyTypes", { types: formats.anyOf(typeNames(fileTypes, t)) }),
    maxFileBytes !== undefined && t("handIn.maxSize", { most: formats.size(maxFileBytes) }),
  ].filter((hint) => hint !== false);
  return (
    <section className={`zone${hasFiles ? " zone--small" : ""}`} aria-label={t("handIn.zone")}>
      <span className="zone__icon">
        <Icon name="upload" />
      </span>
      <p className="zone__words">{t("handIn.here")}</p>
      <div className="zone__buttons">
        <button type="button" className="button button--primary" onClick={() => files.current?.click()}>
          {t("handIn.choose")}
        </button>
        {takesPhotos(fileTypes) && (
          <button type="button" className="button zone__camera" onClick={() => camera.current?.click()}>
            <Icon name="camera" />
            <span>{t("handIn.camera")}</span>
          </button>
        )}
        <button type="button" className="button zone__folder" onClick={() => folder.current?.click()}>
          <Icon name="folderUp" />
          <span>{t("handIn.folder")}</span>
        </button>
      </div>
      {hints.length > 0 && <p className="zone__hint">{hints.join(" ")}</p>}
      <input
        ref={files}
        type="file"
        multiple
        hidden
        accept={fileTypes?.join()}
        aria-label={t("handIn.choose")}
        onChange={take}
      />
      <input
        ref={camera}
        type="file"
        hidden
        accept="image/*"
        capture="environment"
        aria-label={t("handIn.camera")}
        onChange={take}
      />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label={t("handIn.folder")}
        {...{ webkitdirectory: "" }}
        onChange={take}
      />
    </section>
  );
}

/** Cameras of phones make JPEG, and some HEIC. */
function takesPhotos(fileTypes: readonly string[] | undefined): boolean {
  const photos = ["image/*", "image/jpeg", ".jpg", ".jpeg"];
  return fileTypes === undefined || fileTypes.some((type) => photos.includes(type.toLowerCase()));
}
