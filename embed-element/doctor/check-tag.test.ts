import { expect, test } from "vitest";
import { describeElement } from "../manifest";
import { ATTRIBUTES, checkTag } from "./check-tag";
import { readPage } from "./read-page";

const findings = (html: string) =>
  checkTag(readPage(html)).map(({ status, message, remedy = "" }) =>
    `${status}: ${message} ${remedy}`.trim(),
  );

test("knows the element's attributes", () => {
  const declared = (describeElement().element.attributes ?? []).map(({ name }) => name);
  expect(ATTRIBUTES.toSorted()).toEqual(declared.toSorted());
});

test.each([
  ["token-endpont", "token-endpoint"],
  ["heigth", "height"],
  ["them", "theme"],
  ["scopes", "scope"],
  ["local", "locale"],
])("says what %s was meant to be", (written, meant) => {
  expect(findings(`<platform-embed service="files" ${written}="x"></platform-embed>`)).toEqual([
    `warning: The tag does not know the attribute ${written.toLowerCase()}. Did you mean ${meant}?`,
  ]);
});

test("accepts the properties that React writes into its server's HTML", () => {
  const html =
    '<platform-embed service="files" tokenEndpoint="/embed-url" style="height:600px"></platform-embed>';
  expect(findings(html)).toEqual(["ok: The page has a <platform-embed>."]);
  expect(readPage(html).embed?.get("token-endpoint")).toBe("/embed-url");
});

test("says that a property is no attribute in a page with the script tag", () => {
  const html =
    '<script src="https://e.example/platform-embed.js"></script><platform-embed tokenEndpoint="x"></platform-embed>';
  expect(findings(html)).toEqual([
    "warning: The tag does not know the attribute tokenendpoint. Did you mean token-endpoint?",
  ]);
});

test("accepts the attributes of HTML and of templates", () => {
  const own = `id="f" class="c" style="" part="p" slot="s" lang="en" dir="ltr" title="t" role="region" data-v-1a2b data-theme="x" hidden :theme="t" v-scope="s" x-scope="s" .theme="t" [theme]="t" ?loading="l"`;
  const all = ATTRIBUTES.filter((name) => name !== "scope").map((name) => `${name}="x"`);
  expect(findings(`<platform-embed ${own} ${all.join(" ")}></platform-embed>`)).toEqual([
    "ok: The page has a <platform-embed>.",
  ]);
});

test.each(["platform-embbed", "platform-embded", "platfrom-embed", "Platform-Embeds"])(
  "says that <%s> is misspelled",
  (written) => {
    expect(findings(`<my-header></my-header><${written}></${written}>`)).toEqual([
      `error: The page's HTML has a <${written.toLowerCase()}>. Write <platform-embed>.`,
    ]);
  },
);

test("does not mistake another element for it", () => {
  expect(findings("<platform-header></platform-header><p>Nothing")[0]).toContain("no <platform-embed>");
});
