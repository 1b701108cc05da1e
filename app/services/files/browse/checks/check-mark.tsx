import type { FilesClient, Row } from "platform-embed-element/client";
import { type RefObject, useEffect, useState } from "react";
import { Icon } from "../../../../embed/components/icons";
import { useLanguage } from "../../screen/language";
import { whileNearby } from "../grid/while-nearby";
import type { Thumbnails } from "../pictures/thumbnails";
import { type FileCheck, FileChecks } from "./file-checks";

/**
 * What the malware scanner says about the files on the screen.
 * @param needed whether the token requires a tag; without one, nothing is asked
 * @returns null before hydration, and if it is not needed
 */
export function useFileChecks(client: FilesClient, needed: boolean): FileChecks | null {
  const [checks, setChecks] = useState<FileChecks | null>(null);
  useEffect(() => {
    if (!needed) return;
    const made = new FileChecks(client);
    setChecks(made);
    return () => made.close();
  }, [client, needed]);
  return checks;
}

/**
 * What is known about a row's file, while it is visible.
 * @param element of the row or tile, inside of `.list`
 */
export function useFileCheck(
  element: RefObject<HTMLElement>,
  row: Row,
  checks: FileChecks | null,
): FileCheck {
  const file = row.type === "file" ? row : null;
  const [check, setCheck] = useState<FileCheck>("unknown");
  useEffect(() => {
    if (!file || !checks) return;
    return whileNearby(element.current, () => checks.want(file, setCheck));
  }, [element, file, checks]);
  return check;
}

/** Whether a row or tile with this result has a mark. */
export const isMarked = (check: FileCheck): check is "being_checked" | "blocked" =>
  check === "being_checked" || check === "blocked";

/** A file that may not be read has no thumbnail: asking for one would ask the store for its tags once more. */
export const thumbnailsFor = (
  check: FileCheck,
  { checks, thumbnails }: { checks: FileChecks | null; thumbnails: Thumbnails | null },
): Thumbnails | null => (checks === null || check === "readable" ? thumbnails : null);

/** Says that a file cannot be read yet, or was blocked. Screen readers read the row's description instead. */
export function CheckMark({ check }: { check: FileCheck }) {
  const { t } = useLanguage();
  if (!isMarked(check)) return null;
  return (
    <span className={`check-mark check-mark--${check}`} title={t(`checks.${check}`)} aria-hidden="true">
      <Icon name={check === "blocked" ? "warning" : "clock"} />
      <span className="check-mark__text">{t(`checks.${check}`)}</span>
    </span>
  );
}
