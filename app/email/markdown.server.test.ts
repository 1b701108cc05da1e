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
    .replace(/<table [^>]*>/g, "<table>");
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
    ["a | b", "<p>a | b</p>"],
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

  it.each([
    ["https://x.example/a_b_", "https://x.example/a_b_"],
    ["www.x.example/?token=a_b__.", "https://www.x.example/?token=a_b__"],
    ["(https://x.example/_a_)", "https://x.example/_a_"],
    ["**https://x.example/a_**", "https://x.example/a_"],
    ["_https://x.example/a_b_", "https://x.example/a_b"],
    ["_see https://x.example/a_/_b/c now_", "https://x.example/a_/_b/c"],
    ["*see https://x.example/a*/b now*", "https://x.example/a*/b"],
    ["[a_b_](https://x.example/_a_b_)", "https://x.example/_a_b_"],
    ["<https://x.example/_a_>", "https://x.example/_a_"],
    ["_a_ https://x.example/a_b _c_", "https://x.example/a_b"],
    ["https://sub_domain.x.example/a", "https://sub_domain.x.example/a"],
  ])("keeps the underscores of the address in %s", (markdown, address) => {
    const [, href] = /<a href="([^"]*)"/.exec(html(markdown)) ?? [];
    expect(href).toBe(address);
    expect(text(markdown)).toContain(address.replace("https://www.", "www."));
  });

  it("takes an underscore behind an address for the end of emphasis", () => {
    expect(html("_see https://x.example/a_")).toBe(
      '<p><em>see <a href="https://x.example/a">https://x.example/a</a></em></p>',
    );
    expect(html("www.x.example_")).toBe('<p><a href="https://www.x.example">www.x.example</a>_</p>');
  });

  const prices = "| Item | Price |\n|:---|---:|\n| Trail **Pack** | 129 |\n| Tent \\| 2 | 49 |";

  it("has tables, whose cells are aligned as written", () => {
    expect(html(prices)).toContain(
      '<tr><th scope="col" valign="bottom">Item</th><th scope="col" valign="bottom">Price</th></tr>' +
        '<tr><td valign="top">Trail <strong>Pack</strong></td><td valign="top">129</td></tr>',
    );
    expect(render(prices).html).toMatch(
      /<th class="head-cell" scope="col" align="left"[^>]*>Item<.*<td class="cell" align="right"[^>]*>129</,
    );
    const fromRight = renderMarkdown({
      markdown: "|א|\n|-|\n|ב|",
      templates: layoutOf("blue", "rtl").markdown,
    });
    expect(fromRight.html).toMatch(/<th[^>]* align="right"/);
    expect(html("> | a |\n> |-|\n> | <b> |")).toMatch(/<blockquote>.*<td valign="top">&lt;b&gt;<\/td>/);
  });

  it("has tables in plain text, with their columns below each other", () => {
    expect(text(`Hi\n\n${prices}\n\nBye`)).toBe(
      "Hi\n\nItem        Price\n----------  -----\nTrail Pack    129\nTent | 2       49\n\nBye",
    );
    expect(text("|名前|価格|\n|-|-|\n|テント|100|\n|a|2|")).toBe(
      "名前    価格\n------  ----\nテント  100\na       2",
    );
  });

  it("shows the rows of a wide table below each other", () => {
    const wide = "|A|B|C|D||\n|-|-|-|-|-|\n|1|2||4|5|\n|6|";
    expect(html(wide)).toBe(
      "<p><strong>A</strong> 1<br><strong>B</strong> 2<br><strong>D</strong> 4<br>5</p><p><strong>A</strong> 6</p>",
    );
    const long = "x".repeat(40);
    expect(text(`|A|B|\n|-|-|\n|${long}|${long}|\n|1|2|`)).toBe(`A: ${long}\nB: ${long}\n\nA: 1\nB: 2`);
    expect(text(`|A|\n|-|\n|${long}${long}|`)).toBe(`A: ${long}${long}`);
  });

  it("is no table with more than 20 columns, whose short rows would be millions of cells", () => {
    const rows = (columns: number) => `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\nb`;
    expect(html(rows(20))).toContain("<strong>a</strong> b");
    expect(html(rows(21))).toMatch(/^<p>\|a\|a.*<br>b<\/p>$/);
  });

  it("shows HTML as text, block or inline", () => {
    const given = `<script>alert(1)</script>\n\n<div onclick="x">\n**bold**\n</div>\n\n<img src=x onerror='y'> &amp; <!-- c -->`;
    expect(html(given)).toBe(
      "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>" +
        "<p>&lt;div onclick=&quot;x&quot;&gt;<br><strong>bold</strong><br>&lt;/div&gt;</p>" +
        "<p>&lt;img src=x onerror=&#39;y&#39;&gt; &amp;amp; &lt;!-- c --&gt;</p>",
    );
    expect(text("<b>x</b> &amp;")).toBe("<b>x</b> &amp;");
    expect(html("AT&T &#8211; **R&D &#x26;**")).toBe(
      "<p>AT&amp;T &amp;#8211; <strong>R&amp;D &amp;#x26;</strong></p>",
    );
    expect(text("AT&T &#8211; R&D &nbsp;")).toBe("AT&T &#8211; R&D &nbsp;");
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
      "|",
      "|a|b|\n|-|:-:|\n",
    );
    const wild = fc.array(fc.oneof(pieces, fc.string({ maxLength: 5 })), { maxLength: 30 });
    fc.assert(
      fc.property(wild, (parts) => {
        const left = html(parts.join(""))
          .replace(/<a href="(https?:|mailto:|tel:)[^"<>]*">/g, "")
          .replace(/<ol start="\d+">/g, "")
          .replace(
            /<\/?(p|strong|em|s|ul|ol|li|a|h2|blockquote|pre|code|table|tr|td)>|<t[dh]( scope="col")? valign="(top|bottom)">|<\/th>|<br>|<pre dir="ltr">|&nbsp;/g,
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
