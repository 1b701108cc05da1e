import { type InputHTMLAttributes, useRef } from "react";
import type { UploadLimits } from "../../../../embed-element/shared/upload-limits";
import { Icon, type IconName } from "../../../embed/components/icons";
import { useLanguage } from "../screen/language";
import { typeNames } from "../uploads/upload-row";

interface HandInZoneProps {
  limits: UploadLimits;
  /** something has been chosen already: the zone takes less room */
  hasFiles: boolean;
  onChoose(files: File[]): void;
}

/** Where files come from: dropped anywhere on the page, chosen, or taken with a phone's camera. */
export function HandInZone({ limits, hasFiles, onChoose }: HandInZoneProps) {
  const { t, formats } = useLanguage();
  const { maxFileBytes, fileTypes } = limits;
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
        <ChooseButton
          className="button--primary"
          label={t("handIn.choose")}
          onChoose={onChoose}
          multiple
          accept={fileTypes?.join()}
        />
        {takesPhotos(fileTypes) && (
          <ChooseButton
            className="zone__camera"
            icon="camera"
            label={t("handIn.camera")}
            onChoose={onChoose}
            accept="image/*"
            capture="environment"
          />
        )}
        <ChooseButton
          className="zone__folder"
          icon="folderUp"
          label={t("handIn.folder")}
          onChoose={onChoose}
          {...{ webkitdirectory: "" }}
        />
      </div>
      {hints.length > 0 && <p className="zone__hint">{hints.join(" ")}</p>}
    </section>
  );
}

interface ChooseButtonProps extends InputHTMLAttributes<HTMLInputElement> {
  icon?: IconName;
  label: string;
  onChoose(files: File[]): void;
}

/** A button for a file input, whose own look browsers do not let pages change. */
function ChooseButton({ className, icon, label, onChoose, ...attributes }: ChooseButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className={`button ${className}`} onClick={() => input.current?.click()}>
        {icon && <Icon name={icon} />}
        <span>{label}</span>
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])]);
          // Otherwise choosing the same file again would be no change.
          target.value = "";
        }}
        {...attributes}
      />
    </>
  );
}

/** Cameras of phones make JPEG, and some HEIC. */
function takesPhotos(fileTypes: readonly string[] | undefined): boolean {
  const photos = ["image/*", "image/jpeg", ".jpg", ".jpeg"];
  return fileTypes === undefined || fileTypes.some((type) => photos.includes(type.toLowerCase()));
}
