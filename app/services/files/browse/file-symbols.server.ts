/** The drawings of kinds of files. The server puts them into the page's HTML; no script contains them. */
import type { FileKind } from "./file-kind";

const page = "M6.75 2.75h6.5l5 5v11.5a2 2 0 0 1-2 2h-9.5a2 2 0 0 1-2-2V4.75a2 2 0 0 1 2-2Z";
const fold = "M13.25 2.75v3a2 2 0 0 0 2 2h3";

/** The mark on the sheet of paper, by kind of file. 24 by 24, outlines only. */
const marks: Record<FileKind, string> = {
  image: "m7.5 17.5 2.6-3 1.7 1.9 2.2-2.7 2.5 3.8ZM9.2 11.6h.01",
  pdf: "M8 12.25h3.5M8 15h7M8 17.75h7",
  text: "M8 12.25h7M8 15h7M8 17.75h4",
  code: "m10 12.5-2 2.25 2 2.25M13 12.5l2 2.25-2 2.25",
  table: "M8 12h7v6H8ZM8 15h7M11.5 12v6",
  document: "M8 12.25h7M8 15h7M8 17.75h5",
  slides: "M8 12.25h7v4.5H8ZM11.5 16.75v1.75",
  video: "m10 12.25 4 2.5-4 2.5Z",
  audio: "M10 17V12.5l4-.75v4.5M10 17a1 1 0 1 1-2 0 1 1 0 0 1 2 0ZM14 16.25a1 1 0 1 1-2 0 1 1 0 0 1 2 0Z",
  archive: "M11.5 11v1.5M11.5 14v1.5M11.5 17v1.5",
  other: "",
};

/** SVG symbols of all kinds. */
export const fileSymbols = Object.entries(marks)
  .map(
    ([kind, mark]) =>
      `<symbol id="file-${kind}" viewBox="0 0 24 24"><path class="file-icon__page" d="${page}"/><path d="${fold}"/><path d="${mark}"/></symbol>`,
  )
  .join("");
