import { useEffect, useRef } from "react";
import { useLanguage } from "../screen/language";

/** How browsers call a picture that has no name, such as a screenshot. */
const UNNAMED = /^image\.(\w+)$/;

/** Takes files and pictures that are pasted anywhere but into a text field or a dialog. */
export function usePaste(allowed: boolean, onPaste: (files: File[]) => void): void {
  const { t } = useLanguage();
  const latest = useRef({ onPaste, t });
  latest.current = { onPaste, t };
  useEffect(() => {
    if (!allowed) return;
    const paste = (event: ClipboardEvent) => {
      const { target, clipboardData } = event;
      if (!clipboardData || event.defaultPrevented) return;
      if (target instanceof Element && target.closest("input, textarea, select, dialog, [role=menu]")) return;
      const { types } = clipboardData;
      // Office programs add a picture of the text that was copied.
      const isText = types.includes("text/html") && types.includes("text/plain");
      const files = isText ? [] : [...clipboardData.files];
      if (files.length === 0) return;
      event.preventDefault();
      const { onPaste, t } = latest.current;
      onPaste(files.map((file) => named(file, t("uploads.pasted"))));
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  }, [allowed]);
}

/** With the time in the name of a picture that has none, so that the next one gets another name. */
function named(file: File, words: string): File {
  const [, extension] = UNNAMED.exec(file.name) ?? [];
  if (extension === undefined) return file;
  const { type, lastModified } = file;
  return new File([file], `${words} ${localTime(new Date())}.${extension}`, { type, lastModified });
}

/** `2026-11-29 14.05.12`, in the person's time zone. Colons are not allowed in names on every system. */
function localTime(date: Date): string {
  const [day, time] = date.toLocaleString("sv").split(" ");
  return `${day} ${time?.replaceAll(":", ".")}`;
}
