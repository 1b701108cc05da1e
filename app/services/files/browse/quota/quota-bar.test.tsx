import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { formatsFor } from "../../../../locales/format";
import { pageLanguage } from "../../../../locales/languages.server";
import { createTranslate, type English } from "../../../../locales/translate";
import { LanguageContext } from "../../screen/language";
import { QuotaBar } from "./quota-bar";

const GB = 1e9;

function shown(usedBytes: number, maxBytes: number, tag = "en"): string {
  const { sentences } = pageLanguage("files", { asked: tag });
  const language = {
    t: createTranslate<English["files"]>(sentences, tag),
    formats: formatsFor(tag, "UTC", tag === "ar"),
  };
  return renderToStaticMarkup(
    <LanguageContext.Provider value={language}>
      <QuotaBar quota={{ usedBytes, maxBytes }} />
    </LanguageContext.Provider>,
  );
}
const textOf = (markup: string) => markup.replace(/<[^>]+>/g, "").replace(/\s/g, " ");

describe("how full a quota is", () => {
  it("is a bar with a name, and a sentence in the words and the numbers of the language", () => {
    expect(shown(3.2 * GB, 5 * GB)).toContain('value="0.64" aria-label="Storage"');
    expect(textOf(shown(3.2 * GB, 5 * GB))).toBe("3.2 of 5 GB used");
    expect(textOf(shown(3.2 * GB, 5 * GB, "de"))).toBe("3,2 von 5 GB belegt");
    expect(textOf(shown(3.2 * GB, 5 * GB, "fr"))).toBe("3,2 sur 5 Go utilisés");
    expect(textOf(shown(0, 50e6))).toBe("0.0 of 50 MB used");
  });

  it("warns from 80 percent on", () => {
    expect(shown(79, 100)).not.toContain("quota--low");
    expect(shown(80, 100)).toContain("quota--low");
    expect(textOf(shown(99, 100))).toBe("99 of 100 bytes used");
  });

  it.each([
    [100, 100],
    [120, 100],
    [0, 0],
  ])("says what to do when nothing more fits: %i of %i bytes", (used, max) => {
    expect(shown(used, max)).toContain('value="1"');
    expect(textOf(shown(used, max))).toMatch(/used ?There is no more room here\. Delete what is no longer/);
  });
});
