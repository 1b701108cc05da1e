import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layoutOf } from "./layout.server";
import { renderMarkdown } from "./markdown.server";

const render = (markdown: string) =>
  renderMarkdown({ markdown, templates: layoutOf("blue", "ltr").markdown });
/** without styles and classes, which the tests of the layout are about */
const html = (markdown: string) =>
  render(markdown)
    .html.replace(/ (style|class|align|width|height)="[^"]*"/g, "")
    .replace(/<table role="presentation"[^>]*>/g, "<table>");
const text = (markdown: string) => render(markdown).text;

describe("a description in Markdown", () => {
  it.each([
    ["**bold** and __bold__", "<p><strong>bold</strong> and <strong>bold</strong></p>"],
    ["*it* and _it_", "<p><em>it</em> and <em>it</em></p>"],
    ["one\ntwo\n\nthree", "<p>one<br>two</p><p>three</p>"],
    ["- a\n- b", "<ul><li>a</li><li>b</li></ul>"],
    ["3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
    ["- a\n  1. b", '<ul><li>a<ol start="1"><li>b</li></ol></li></ul>'],
    ["[a](https://x.example/?a=1&b=2)", '<p><a href="https://x.example/?a=1&amp;b=2">a</a></p>'],
    ["[a](mailto:a@x.example)", '<p><a href="mailto:a@x.example">a</a></p>'],
    ["see https://x.example", '<p>see <a href="https://x.example">https://x.example</a></p>'],
    ["# Head", "<h2>Head</h2>"],
    ["`a <b>`", "<p><code>a &lt;b&gt;</code></p>"],
    ["a | b\n---|---", "<p>a | b<br>---|---</p>"],
  ])("%j is shown as %s", (markdown, expected) => {
    expect(html(markdown)).toBe(expected);
  });

  it("knows emoji as characters and by name, but not inside words, times and code", () => {
    expect(text("🙂 :tada: :+1: :heart:")).toBe("🙂 🎉 👍 ❤️");
    expect(text("at 10:30:00, :no_such_name: and `:tada:`")).toBe("at 10:30:00, :no_such_name: and :tada:");
    expect(text(":constructor: :valueOf:")).toBe(":constructor: :valueOf:");
  });

  it.each([
    ["[a](javascript:alert(1))", "a (javascript:alert(1))"],
    ["[a](JaVaScRiPt:alert(1))", "a (JaVaScRiPt:alert(1))"],
    ["[a](java&#10;script:alert(1))", "a (java&amp;#10;script:alert(1))"],
    ["[a](data:text/html,x)", "a (data:text/html,x)"],
    ["[a](vbscript:x)", "a (vbscript:x)"],
    ["[a](//evil.example)", "a (//evil.example)"],
    ["[a](/relative)", "a (/relative)"],
    ["[a](ftp://x.example/?a&b)", "a (ftp://x.example/?a&amp;b)"],
    ["[a](tel:javascript:1)", "a (tel:javascript:1)"],
    ["![a](javascript:alert(1))", "a (javascript:alert(1))"],
    ["<javascript:alert(1)>", "javascript:alert(1)"],
  ])("makes no link of %j", (markdown, shown) => {
    expect(html(markdown)).toBe(`<p>${shown}</p>`);
  });

  it("knows emoji by name between words, not inside of words and addresses", () => {
    expect(text("a:b:c :a:b 10:on:20 fe80::a:1 x@y:on:z std:tada:")).toBe(
      "a:b:c :a:b 10:on:20 fe80::a:1 x@y:on:z std:tada:",
    );
    expect(text(":tada::+1: (:tada:) **:tada:** :tada:. 完了:tada:です")).toBe("🎉👍 (🎉) 🎉 🎉. 完了🎉です");
  });

  it.each([
    ["**重要：**本日", "<strong>重要：</strong>本日"],
    ["これは**「重要」**です", "これは<strong>「重要」</strong>です"],
    ["**주의(필독):**내용", "<strong>주의(필독):</strong>내용"],
    ["**重要：`**`**本日", "<strong>重要：<code>**</code></strong>本日"],
    ["**重要： **本日", "**重要： **本日"],
    ["**a:**b", "**a:**b"],
  ])("makes bold what is between asterisks also where words have no spaces: %s", (markdown, expected) => {
    expect(html(markdown)).toBe(`<p>${expected}</p>`);
  });

  it.each([
    ["    a\n    b", "<p>a<br>b</p>", "a\nb"],
    ["a\n\n\tb", "<p>a</p><p>b</p>", "a\n\nb"],
    ["[us](tel:+1 (250) 555)", "<p>[us](tel:+1 (250) 555)</p>", "[us](tel:+1 (250) 555)"],
    ["[us](<tel:+1 (250) 555>)", '<p><a href="tel:+1250555">us</a></p>', "us (+1250555)"],
    ["[us](tel:+1-250-555)", '<p><a href="tel:+1250555">us</a></p>', "us (+1250555)"],
    ["[us](www.x.example)", '<p><a href="https://www.x.example">us</a></p>', "us (https://www.x.example)"],
    [
      "at www.x.example",
      '<p>at <a href="https://www.x.example">www.x.example</a></p>',
      "at https://www.x.example",
    ],
    [
      "[us](http://www.x.example)",
      '<p><a href="http://www.x.example">us</a></p>',
      "us (http://www.x.example)",
    ],
    ["0. a\n1. b", '<ol start="0"><li>a</li><li>b</li></ol>', "0. a\n1. b"],
    [
      "[![a](https://x.example/p.png)](https://x.example)",
      '<p><a href="https://x.example">a</a></p>',
      "a (https://x.example/p.png) (https://x.example)",
    ],
    ["~~old~~ new", "<p><s>old</s> new</p>", "~~old~~ new"],
    ["[a](/x)", "<p>a (/x)</p>", "a (/x)"],
  ])("takes %j as it is meant", (markdown, expected, inText) => {
    expect(html(markdown)).toBe(expected);
    expect(text(markdown)).toBe(inText);
  });

  it("shows HTML as text, block or inline", () => {
    const given = `<script>alert(1)</script>\n\n<div onclick="x">\n**bold**\n</div>\n\n<img src=x onerror='y'> &amp; <!-- c -->`;
    expect(html(given)).toBe(
      "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>" +
        "<p>&lt;div onclick=&quot;x&quot;&gt;<br><strong>bold</strong><br>&lt;/div&gt;</p>" +
        "<p>&lt;img src=x onerror=&#39;y&#39;&gt; &amp;amp; &lt;!-- c --&gt;</p>",
    );
    expect(text("<b>x</b> &amp;")).toBe("<b>x</b> &amp;");
  });

  it("writes only elements and attributes of its own, whatever it is given", () => {
    const pieces = fc.constantFrom(
      "<",
      ">",
      '"',
      "'",
      "&",
      "[a](",
      ")",
      "javascript:",
      "<img src=x onerror=y>",
      "\n",
      "`",
      "*",
    );
    const wild = fc.array(fc.oneof(pieces, fc.string({ maxLength: 5 })), { maxLength: 30 });
    fc.assert(
      fc.property(wild, (parts) => {
        const left = html(parts.join(""))
          .replace(/<a href="(https?:|mailto:|tel:)[^"<>]*">/g, "")
          .replace(/<ol start="\d+">/g, "")
          .replace(
            /<\/?(p|strong|em|s|ul|ol|li|a|h2|blockquote|pre|code|table|tr|td)>|<br>|<pre dir="ltr">|&nbsp;/g,
            "",
          );
        expect(left).not.toMatch(/[<>"]/);
      }),
      { numRuns: 2_000 },
    );
  });

  it("reads well as plain text", () => {
    const markdown =
      "Hi **Ada**,\nall is _ready_.\n\n1. Open the [portal](https://x.example)\n2. Invite\n   - Bob\n   - Eve\n\n> quoted\n> twice\n\n- [x] done";
    expect(text(markdown)).toBe(
      "Hi Ada,\nall is ready.\n\n1. Open the portal (https://x.example)\n2. Invite\n   - Bob\n   - Eve\n\n> quoted\n> twice\n\n- ☑ done",
    );
    expect(text("https://x.example and [https://x.example](https://x.example)")).toBe(
      "https://x.example and https://x.example",
    );
  });

  it("shows half a surrogate pair as the character for what cannot be shown", () => {
    expect(text("a \ud83d *b*")).toBe("a \ufffd b");
  });

  it("reads bold text as CommonMark does wherever CommonMark finds any", () => {
    expect(html("**漢*字***")).toBe("<p><strong>漢<em>字</em></strong></p>");
    expect(html("**漢** **字**")).toBe("<p><strong>漢</strong> <strong>字</strong></p>");
  });
});
