import fc from "fast-check";
import { parseDocument } from "htmlparser2";
import { describe, expect, it } from "vitest";
import { layoutOf } from "./layout.server";
import { renderMarkdown } from "./markdown.server";
import { VariableFiller } from "./variables.server";

const templates = layoutOf("blue", "ltr").markdown;
const render = (markdown: string) => renderMarkdown({ markdown, templates });

async function fill(markdown: string, values: Record<string, string> = {}) {
  const filler = new VariableFiller(values);
  const { html, text } = await filler.fillRendered(markdown, "body", render);
  filler.throwIssues();
  return { html, text };
}

const issuesOf = async (markdown: string, values: Record<string, string> = {}) =>
  fill(markdown, values).then(
    () => [],
    ({ issues }: { issues: { path: string; message: string }[] }) =>
      issues.map(({ path, message }) => `${path}: ${message}`),
  );

const paragraphs = (html: string) =>
  [...html.matchAll(/<p [^>]*>(.*?)<\/p>/gs)].map(([, content]) => content?.replace(/ style="[^"]*"/g, ""));
const addresses = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);

describe("variables in Markdown", () => {
  it("are filled in text, in bold, in code and in headings", async () => {
    const { html, text } = await fill("# For {{ name }}\n\n**{{name}}**, your code is `{{code}}`.", {
      name: "Ada",
      code: "A-1",
    });
    expect(html).toMatch(/<h2[^>]*>For Ada<\/h2>/);
    expect(paragraphs(html)[0]).toMatch(/^<strong>Ada<\/strong>, your code is <code[^>]*>A-1<\/code>\.$/);
    expect(text).toBe("For Ada\n\nAda, your code is A-1.");
  });

  it("have a fallback, which may be empty, for a missing or blank value", async () => {
    expect((await fill("Dear {{first_name|friend}},")).text).toBe("Dear friend,");
    expect((await fill("Dear {{first_name | dear friend}},", { first_name: "" })).text).toBe(
      "Dear dear friend,",
    );
    expect((await fill("Dear {{title|}} Ada")).text).toBe("Dear  Ada");
  });

  it("name each value that is missing, once", async () => {
    expect(await issuesOf("{{a}} {{b}} {{a}} {{c|x}}", { b: "1" })).toEqual([
      "variables.a: has no value, and {{a}} in body has no fallback",
    ]);
    expect(await issuesOf("{{__proto__}} {{constructor}}")).toEqual([
      "body: {{__proto__}} is not a variable: write it like {{first_name}} or {{first_name|friend}}",
      "variables.constructor: has no value, and {{constructor}} in body has no fallback",
    ]);
  });

  it("refuse what is not a name", async () => {
    for (const written of ["{{}}", "{{first name}}", "{{1}}", "{{a.b}}", "{{<b>}}"])
      expect(await issuesOf(`Hi ${written}`)).toEqual([
        expect.stringContaining(`${written} is not a variable`),
      ]);
    expect(await issuesOf("Hi {{first_name|you}, how are you?")).toEqual([
      "body: has “{{” without “}}”: write variables like {{first_name}} or {{first_name|friend}}",
    ]);
    expect((await fill("{ one }} brace")).text).toBe("{ one }} brace");
  });

  it("are text, whatever is in them", async () => {
    const hostile = [
      "<script>alert(1)</script>",
      "[click](https://evil.example)",
      "https://evil.example",
      "www.evil.example",
      "**bold** _it_ `code` ~~s~~",
      "# heading",
      "- item",
      "{{email}}",
      ":tada:",
      "\uFDD00\uFDD4",
      "$& $1",
      "x".repeat(10_000),
    ];
    for (const value of hostile) {
      const { html, text } = await fill("Dear {{x}}, hello.", { x: value, email: "secret" });
      expect(text).toBe(`Dear ${value}, hello.`);
      expect(addresses(html)).toEqual([]);
      expect(html).not.toMatch(/<(script|strong|em|code|h2|li|s)\b/);
      expect(html.match(/<p /g)).toHaveLength(1);
    }
  });

  it("are encoded in an address behind its host", async () => {
    const { html, text } = await fill("[Open](https://shop.example/o/{{id}}?q={{q}}#{{id}})", {
      id: "a/b?c#d",
      q: '"><img src=x onerror=alert(1)>&x=1',
    });
    expect(addresses(html)).toEqual([
      "https://shop.example/o/a%2Fb%3Fc%23d?q=%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%26x%3D1#a%2Fb%3Fc%23d",
    ]);
    expect(text).toContain("Open (https://shop.example/o/a%2Fb%3Fc%23d?q=");
    expect(addresses((await fill("<https://shop.example/{{id}}>", { id: "7 8" })).html)).toEqual([
      "https://shop.example/7%208",
    ]);
    expect((await fill("[Write](mailto:{{agent}})", { agent: "ada@x.example" })).text).toBe(
      "Write (ada@x.example)",
    );
  });

  it("can be a whole address, if it is http or https", async () => {
    const whole = "[Your invoice]({{url}})";
    expect(addresses((await fill(whole, { url: "https://x.example/?a=1&b=2" })).html)).toEqual([
      "https://x.example/?a=1&amp;b=2",
    ]);
    expect((await fill("[Shop]({{url|https://x.example}})")).text).toBe("Shop (https://x.example)");
    for (const url of ["javascript:alert(1)", "data:text/html,x", "//evil.example", "mailto:a@b.c", "x"])
      expect(await issuesOf(whole, { url })).toEqual(["variables.url: must be an http or https URL"]);
  });

  it("are encoded also where an address is its own text", async () => {
    for (const written of ["https://shop.example/{{x}}", "<https://shop.example/{{x}}>"]) {
      const { html, text } = await fill(written, { x: "../a b" });
      expect(text).toBe("https://shop.example/..%2Fa%20b");
      expect(html).toContain(">https://shop.example/..%2Fa%20b</a>");
    }
  });

  it("may not lead to a folder above, or nowhere", async () => {
    for (const x of [".", ".."])
      expect(await issuesOf("[a](https://shop.example/users/{{x}}/b)", { x })).toEqual([
        "variables.x: must not be . or .. in an address",
      ]);
    expect(await issuesOf("[a]({{x|}})")).toEqual(["variables.x: must be an http or https URL"]);
  });

  it("are found by references of Markdown", async () => {
    const { html } = await fill("[{{x}}]\n\n[{{x}}]: https://shop.example/", { x: "Ada" });
    expect(html).toMatch(/<a [^>]*href="https:\/\/shop\.example\/"[^>]*>Ada<\/a>/);
  });

  it("end at the length of an e-mail, however often a long value is repeated", async () => {
    expect(await issuesOf("{{x}}".repeat(4_000), { x: "&".repeat(2_000) })).toEqual([
      "body: is too long with the values of its variables",
    ]);
  });

  it("may not decide an address's host", async () => {
    for (const address of [
      "https://shop.example{{x}}",
      "https://{{x}}.example/",
      "https://{{x}}/a",
      "https://u:{{x}}@shop.example/",
      "{{x}}/path",
      "http{{x}}://shop.example/",
      "javascript:{{x}}",
      "www.{{x}}.example",
    ])
      expect(await issuesOf(`[Open](${address})`, { x: ".evil.example" }), address).toEqual([
        "body: {{x}} may not stand here in an address: a variable is the whole address, or stands behind its host",
      ]);
  });

  it("never lead anywhere else than the template does, whatever their values", () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.string(), async (a, b) => {
        const values = { a: a || "x", b: b || "x" };
        const markdown = "Hi {{a}} [go](https://shop.example/{{b}}?{{a}}) `{{b}}`";
        if ([a, b].some((value) => /^\.\.?$/.test(value))) {
          const refusal = expect.stringContaining("must not be . or .. in an address");
          expect(await issuesOf(markdown, values)).toContainEqual(refusal);
          return;
        }
        const { html } = await fill(markdown, values);
        const hosts = addresses(html).map((href) => new URL(href ?? "").host);
        expect(hosts).toEqual(["shop.example"]);
        const names: string[] = [];
        const visit = (nodes: unknown[]) => {
          for (const node of nodes as { name?: string; children?: unknown[] }[]) {
            if (node.name) names.push(node.name);
            visit(node.children ?? []);
          }
        };
        visit(parseDocument(html).children);
        expect(names).toEqual(["p", "a", "code"]);
      }),
      { examples: [[".", ".."]] },
    ));
});

describe("variables in a line", () => {
  it("are filled as they are, up to a length", () => {
    const filler = new VariableFiller({ name: "Ada <$&>" });
    expect(filler.fillLine("Hello {{name}}", "site.subject", 200)).toBe("Hello Ada <$&>");
    filler.throwIssues();
    filler.fillLine("{{title|}}", "button.label", 10);
    expect(() => filler.throwIssues()).toThrow(
      expect.objectContaining({
        issues: [{ path: "button.label", message: "is blank with the values of its variables" }],
      }),
    );
  });

  it("are refused in a line that is too long", () => {
    const filler = new VariableFiller({ name: "Ada <$&>" });
    filler.fillLine("Hello {{name}}", "site.subject", 10);
    expect(() => filler.throwIssues()).toThrow(
      expect.objectContaining({
        issues: [
          { path: "site.subject", message: "must be at most 10 characters with the values of its variables" },
        ],
      }),
    );
  });
});

describe("variables in a button's address", () => {
  const fillAddress = (address: string, values: Record<string, string> = {}) => {
    const filler = new VariableFiller(values);
    const filled = filler.fillAddress(address, "button.url");
    filler.throwIssues();
    return filled;
  };

  it("are encoded behind the host, or the whole of it", () => {
    expect(fillAddress("https://shop.example/{{id}}", { id: "a b" })).toBe("https://shop.example/a%20b");
    expect(fillAddress("{{url}}", { url: "https://shop.example/?a=1" })).toBe("https://shop.example/?a=1");
    expect(fillAddress("https://shop.example/")).toBe("https://shop.example/");
  });

  it("may be nothing but http or https", () => {
    for (const [address, values] of [
      ["mailto:{{x}}", { x: "a@b.c" }],
      ["javascript:alert(1)", {}],
      ["{{x}}", { x: "javascript:alert(1)" }],
      ["https://{{x}}/", { x: "evil.example" }],
      ["", {}],
    ] as const)
      expect(() => fillAddress(address, values), address).toThrow(
        expect.objectContaining({ code: "invalid_request" }),
      );
  });
});
