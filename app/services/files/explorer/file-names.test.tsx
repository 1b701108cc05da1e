/** Wherever a file is shown, screen readers get its whole name, also where the screen has no room for it. */
import { createFilesClient, type Row, type Upload } from "platform-embed-element/client";
import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { formatsFor } from "../../../locales/format";
import { pageLanguage } from "../../../locales/languages.server";
import { createTranslate, type English } from "../../../locales/translate";
import { FileRow } from "../browse/grid/file-row";
import type { GridItemProps } from "../browse/grid/grid-props";
import { Tile } from "../browse/grid/tile";
import { FileName } from "../screen/file-name";
import { LanguageContext } from "../screen/language";
import { UploadRow } from "../uploads/upload-row";

const { sentences } = pageLanguage("files", { asked: "en" });
const language = {
  t: createTranslate<English["files"]>(sentences, "en"),
  formats: formatsFor("en", "UTC", false),
};
const render = (element: ReactElement) =>
  renderToStaticMarkup(<LanguageContext.Provider value={language}>{element}</LanguageContext.Provider>);

const LONG = "Minutes of the annual general meeting of all shareholders 2025-000123.pdf";
const row: Row = {
  type: "file",
  key: LONG,
  name: LONG,
  size: 1,
  etag: "e",
  lastModified: "2026-01-15T09:30:00.000Z",
};
const item: GridItemProps = {
  row,
  index: 0,
  ...{ active: true, selected: false, dimmed: false, isNew: false },
  ...{ where: null, query: "", button: null, thumbnails: null, checks: null },
  ...{ sizes: null, folderSize: undefined },
};
const upload: Upload = {
  id: 1,
  name: LONG,
  ...{ isFolder: false, folderPath: "/in", size: 2, sent: 1, status: "sending", question: null, error: null },
};
/** Nobody presses a button. */
const { uploads: engine } = createFilesClient({ bucket: "b", fetchToken: () => Promise.reject() });

/** The texts of the elements with this tag. */
const textsOf = (html: string, tag: string) =>
  [...html.matchAll(new RegExp(`<${tag}[ >].*?</${tag}>`, "g"))].map(([found]) =>
    found.replace(/<[^>]*>/g, ""),
  );

test("a row, a tile and an upload are named by the whole name", () => {
  const elements = {
    row: <FileRow {...item} more />,
    tile: <Tile {...item} column={1} />,
    upload: (
      <UploadRow
        {...{ upload, engine, openPath: upload.folderPath }}
        scope={{ actions: [], limits: {} }}
        onCompare={() => {}}
      />
    ),
  };
  for (const [place, element] of Object.entries(elements)) {
    const html = render(element);
    expect(html, place).toContain(`aria-label="${LONG}"`);
    expect(textsOf(html, "bdi"), place).toEqual([LONG]);
  }
});

test.each([
  [LONG, "000123.pdf"],
  ["IMG_20251104_183512.jpg", "183512.jpg"],
  // Too short to be cut before its extension, or without one.
  ["a.pdf", ".pdf"],
  [".env", ""],
  ["Meeting minutes without an extension", "ension"],
  // A letter with its accent, a flag, and what joins or runs from right to left are not taken apart.
  ["Proce\u0300s-verbal de la re\u0301union.pdf", ".pdf"],
  ["Holidays in Switzerland 🇨🇭🇨🇭🇨🇭🇨🇭.jpg", ".jpg"],
  ["Thumbs up for everybody 👍🏽👍🏽👍🏽.jpg", ".jpg"],
  ["محضر اجتماع الجمعية العامة السنوية.pdf", ".pdf"],
])("%s is drawn in two parts, with %s at its end, and stays one text", (name, end) => {
  const html = render(<FileName name={name} keepsEnd />);
  expect(textsOf(html, "bdi")).toEqual([name]);
  const [, start = "", last] = /data-start="([^"]*)" data-end="([^"]*)"/.exec(html) ?? [];
  expect(last).toBe(end);
  expect(start + last).toBe(name);
});
