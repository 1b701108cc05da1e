/** The icons' drawings. They come with the page's HTML, so no script has to hold them a second time. */
import type { FileKind } from "./file-kind";

const page = "M6.75 2.75h6.5l5 5v11.5a2 2 0 0 1-2 2h-9.5a2 2 0 0 1-2-2V4.75a2 2 0 0 1 2-2Z";
const fold = "M13.25 2.75v3a2 2 0 0 0 2 2h3";

/** What is drawn on the page, per kind of file. 24 by 24, outlines only. */
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

/** Icons used throughout. 24 by 24, outlines only. */
const icons = {
  folder:
    "M3.75 18V6.5a1.75 1.75 0 0 1 1.75-1.75h3.6c.5 0 .98.22 1.3.6l1.2 1.4h6.9a1.75 1.75 0 0 1 1.75 1.75V18a1.75 1.75 0 0 1-1.75 1.75h-13A1.75 1.75 0 0 1 3.75 18Z",
  folderUp:
    "M3.75 18V6.5a1.75 1.75 0 0 1 1.75-1.75h3.6c.5 0 .98.22 1.3.6l1.2 1.4h6.9a1.75 1.75 0 0 1 1.75 1.75V18a1.75 1.75 0 0 1-1.75 1.75h-13A1.75 1.75 0 0 1 3.75 18ZM12 16.25v-5.5m0 0-2.25 2.25M12 10.75l2.25 2.25",
  chevron: "m9.5 6.5 5.5 5.5-5.5 5.5",
  down: "m6.5 9.5 5.5 5.5 5.5-5.5",
  arrow: "M12 18.5v-13m0 0-5 5m5-5 5 5",
  upload: "M12 15.5v-11m0 0-4.25 4.25M12 4.5l4.25 4.25M4.75 15.5v2.25a2 2 0 0 0 2 2h10.5a2 2 0 0 0 2-2V15.5",
  download:
    "M12 4.5v11m0 0 4.25-4.25M12 15.5l-4.25-4.25M4.75 15.5v2.25a2 2 0 0 0 2 2h10.5a2 2 0 0 0 2-2V15.5",
  search: "M10.75 17a6.25 6.25 0 1 0 0-12.5 6.25 6.25 0 0 0 0 12.5ZM19.5 19.5l-4.3-4.3",
  refresh: "M19.25 12a7.25 7.25 0 1 1-2.1-5.1l2.1 2.1m0-4.25V9H15",
  close: "m6.5 6.5 11 11m0-11-11 11",
  zoomIn: "M12 5.5v13M5.5 12h13",
  zoomOut: "M5.5 12h13",
  expand: "M14.5 4.75h4.75V9.5M9.5 19.25H4.75V14.5M19.25 4.75l-5.5 5.5M4.75 19.25l5.5-5.5",
  shrink: "M19.25 9.75H14.5V5M4.75 14.25H9.5V19M14.5 9.75l5-5M9.5 14.25l-5 5",
  info: "M12 11v5m0-8.25h.01M12 20.25a8.25 8.25 0 1 0 0-16.5 8.25 8.25 0 0 0 0 16.5Z",
  copy: "M9.75 8.75h7.5a1.5 1.5 0 0 1 1.5 1.5v7.5a1.5 1.5 0 0 1-1.5 1.5h-7.5a1.5 1.5 0 0 1-1.5-1.5v-7.5a1.5 1.5 0 0 1 1.5-1.5ZM5.25 14.75v-8a1.5 1.5 0 0 1 1.5-1.5h8",
  tiles: "M5 5h5.5v5.5H5ZM13.5 5H19v5.5h-5.5ZM5 13.5h5.5V19H5ZM13.5 13.5H19V19h-5.5Z",
  list: "M4.75 7h.01M4.75 12h.01M4.75 17h.01M8.5 7h11M8.5 12h11M8.5 17h11",
  check: "m5.5 12.5 4.25 4.25 8.75-9.5",
  warning:
    "M12 9v4m0 3h.01M10.6 4.9 3.4 17.4A1.6 1.6 0 0 0 4.8 19.8h14.4a1.6 1.6 0 0 0 1.4-2.4L13.4 4.9a1.6 1.6 0 0 0-2.8 0Z",
  offline:
    "M12 18.5h.01M8.75 15.2a4.8 4.8 0 0 1 6.5 0M5.6 11.9a9.4 9.4 0 0 1 3.3-2.1M2.9 8.6a13.6 13.6 0 0 1 3-2M10.4 5.2A13.6 13.6 0 0 1 21.1 8.6M14.2 9.5a9.4 9.4 0 0 1 4.2 2.4M3.75 3.75l16.5 16.5",
  lock: "M7.75 10.75v-2.5a4.25 4.25 0 0 1 8.5 0v2.5M6.75 10.75h10.5a1.5 1.5 0 0 1 1.5 1.5v6a1.5 1.5 0 0 1-1.5 1.5H6.75a1.5 1.5 0 0 1-1.5-1.5v-6a1.5 1.5 0 0 1 1.5-1.5Z",
  clock: "M12 7.25V12l3 1.75M12 20.25a8.25 8.25 0 1 0 0-16.5 8.25 8.25 0 0 0 0 16.5Z",
  cloud: "M7.25 18.75a4 4 0 0 1-.6-7.95 5.5 5.5 0 0 1 10.7.95h.4a3.5 3.5 0 0 1 0 7Z",
} as const;

export type IconName = keyof typeof icons;

/** SVG: every icon once, as a symbol. */
export const iconSymbols = [
  ...Object.entries(marks).map(
    ([kind, mark]) =>
      `<symbol id="file-${kind}" viewBox="0 0 24 24"><path class="file-icon__page" d="${page}"/><path d="${fold}"/><path d="${mark}"/></symbol>`,
  ),
  ...Object.entries(icons).map(
    ([name, path]) => `<symbol id="icon-${name}" viewBox="0 0 24 24"><path d="${path}"/></symbol>`,
  ),
].join("");
