import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { FrameSession } from "../../../embed/frame/use-session";
import { formatsFor } from "../../../locales/format";
import { pageLanguage } from "../../../locales/languages.server";
import { createTranslate, type English } from "../../../locales/translate";
import { LanguageContext } from "./language";
import { ClosedState } from "./states";

const { sentences } = pageLanguage("files", { asked: "en" });
const language = {
  t: createTranslate<English["files"]>(sentences, "en"),
  formats: formatsFor("en", "UTC", false),
};

it("a frame that comes back and gets no token says to load the page again, and can ask once more", () => {
  const state = { status: "not-renewed", expired: true, wasLeft: true } as const;
  const shown = renderToStaticMarkup(
    <LanguageContext.Provider value={language}>
      <ClosedState state={state} session={{} as FrameSession["session"]} />
    </LanguageContext.Provider>,
  );
  expect(shown).toContain("Your session has timed out");
  expect(shown).toContain("Reload the page, or sign in again, to continue.");
  expect(shown).toContain("Try again");
});
