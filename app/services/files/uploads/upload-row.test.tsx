import { FilesError, type Upload } from "platform-embed-element/client";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { formatsFor } from "../../../locales/format";
import { pageLanguage } from "../../../locales/languages.server";
import { createTranslate, type English } from "../../../locales/translate";
import { LanguageContext } from "../screen/language";
import { UploadNote } from "./upload-row";

const { sentences } = pageLanguage("files", { asked: "en" });
const language = {
  t: createTranslate<English["files"]>(sentences, "en"),
  formats: formatsFor("en", "UTC", false),
};

test("a name that cannot be stored is said with the character that it must not have", () => {
  const upload: Upload = {
    id: 1,
    name: "back\\slash.txt",
    ...{ isFolder: false, folderPath: "/in", size: 2, sent: 0, status: "failed", question: null },
    error: new FilesError("bad_name"),
  };
  const html = renderToStaticMarkup(
    <LanguageContext.Provider value={language}>
      <UploadNote upload={upload} limits={{}} />
    </LanguageContext.Provider>,
  );
  expect(html).toContain(
    "A name cannot contain / or \\. This name cannot be stored: rename the file and try again.",
  );
});
