import { HtmlValidate } from "html-validate";
import { describe, expect, it } from "vitest";
import { campaignEmail, PICTURES, simpleEmail } from "../../tests/support/email/sample-emails";
import {
  asInWord,
  type Declaration,
  declarationsIn,
  isSupportedByWord,
} from "../../tests/support/email/word-engine";
import { themeNames } from "./themes";

const logoUrl = `${PICTURES}logo.svg`;
const emails = {
  simple: async () => (await simpleEmail({ logoUrl })).html,
  "from right to left": async () => (await simpleEmail({ locale: "he" })).html,
  campaign: async () => (await campaignEmail()).html,
  "campaign from right to left": async () => (await campaignEmail({ locale: "ar" })).html,
};

/** Properties that Word ignores, and why the layout does not depend on them. */
const mayBeIgnored: Record<string, (declaration: Declaration) => boolean> = {
  // Corners are square there.
  "border-radius": () => true,
  // A table of 600 px is around the column, for Word alone.
  "max-width": ({ className }) => ["column", "logo", "preheader"].includes(className),
  margin: ({ className, value }) => (className === "page" && value === "0") || className === "column",
  // A cell around a button has `mso-padding-alt`; of a list and the page Word has a padding of its own.
  padding: ({ className, value }) => className === "button" || value === "0",
  width: ({ className }) => ["page", "logo", "image"].includes(className),
  // A picture in a cell of its own begins a line; a button is alone in its cell.
  display: ({ className }) => ["logo", "image", "button"].includes(className),
  // Word breaks a line where a cell ends, and keeps the lines of `<pre>`.
  "overflow-wrap": () => true,
  "white-space": ({ element }) => element === "pre",
  // `mso-hide` hides it.
  "max-height": ({ className }) => className === "preheader",
  overflow: ({ className }) => className === "preheader",
  // Cells have no room between them by `cellspacing`.
  "border-spacing": ({ element }) => element === "table",
  // Nothing turns a picture's ground dark there; a logo is as wide as it is.
  "background-image": () => true,
  "object-fit": ({ className }) => className === "logo",
  // Word gives columns the width of their content, for which it has 600 px.
  "table-layout": ({ className }) => className === "grid",
  "object-position": ({ className }) => className === "logo",
};

describe.each(Object.entries(emails))("the HTML of an e-mail: %s", (_, render) => {
  it("has no layout that depends on what Outlook for Windows ignores", async () => {
    const ignored = declarationsIn(await render()).filter(
      ({ element, property, value }) => !isSupportedByWord(element, property, value),
    );
    expect(ignored.length).toBeGreaterThan(20);
    expect(ignored.filter((declaration) => !mayBeIgnored[declaration.property]?.(declaration))).toEqual([]);
  });

  it("is valid, but for the attributes that old clients lay out tables by", async () => {
    const { results } = await new HtmlValidate({ extends: ["html-validate:standard"] }).validateString(
      await render(),
    );
    const messages = results.flatMap(({ messages }) => messages);
    expect(
      messages.filter(
        ({ ruleId, message }) =>
          ruleId !== "no-deprecated-attr" ||
          !/^Attribute "(cellpadding|cellspacing|width|height|align|valign)"/.test(message),
      ),
    ).toEqual([]);
  });
});

it("is seen by Word with a button's padding, and without what it ignores", async () => {
  const word = asInWord((await simpleEmail()).html);
  expect(word).toMatch(/<td class="button-cell"[^>]*; padding: 14px 26px;"/);
  expect(word).toMatch(/<a class="button"[^>]*style="(?!.*display)[^"]*"/);
  expect(word).not.toContain("@media");
});

it.each(themeNames)("every look is as large as Gmail shows whole, whatever is in it: %s", async (theme) => {
  expect(Buffer.byteLength((await simpleEmail({ theme, logoUrl })).html)).toBeLessThan(30_000);
});
