import fc from "fast-check";
import { simpleParser } from "mailparser";
import { describe, expect, it } from "vitest";
import { formatMailbox, normalizeEmailAddress, onOneLine, parseMailbox } from "./email-address.server";

describe("an e-mail address", () => {
  it.each([
    ["ada@example.com", "ada@example.com"],
    ["Ada.Lovelace+x@EXAMPLE.com", "Ada.Lovelace+x@example.com"],
    ["ada@bücher.example", "ada@xn--bcher-kva.example"],
    ["ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"],
    ["ada@XN--BCHER-KVA.example", "ada@xn--bcher-kva.example"],
    ["taro..yamada@docomo.example", "taro..yamada@docomo.example"],
    ["taro.yamada.@docomo.example", "taro.yamada.@docomo.example"],
    [".taro@docomo.example", ".taro@docomo.example"],
    ['"taro..yamada."@DOCOMO.example', "taro..yamada.@docomo.example"],
    ['"ada"@example.com', "ada@example.com"],
  ])("%s is %s", (given, address) => {
    expect(normalizeEmailAddress(given)).toBe(address);
  });

  it.each([
    "",
    "ada",
    "@example.com",
    "ada@",
    "ada@localhost",
    "ada@example",
    "ada@10.0.0.1",
    "ada@[10.0.0.1]",
    "ada@exa mple.com",
    "ada@exa%6dple.com",
    "ada@-example.com",
    "ada@example..com",
    "adä@example.com",
    '""@example.com',
    '"ada@example.com',
    'ada"@example.com',
    '"a"da"@example.com',
    '"ada\\"@example.com',
    '"ada, eve"@example.com',
    "ada@example.com\r\nBcc: eve@example.com",
    "ada\r\n@example.com",
    "Ada <ada@example.com>",
    "ada@example.com, eve@example.com",
    '"ada lovelace"@example.com',
    `${"a".repeat(65)}@example.com`,
    `ada@${"a".repeat(64)}.com`,
    `ada@${"abcdefgh.".repeat(30)}com`,
  ])("%j is none", (given) => {
    expect(normalizeEmailAddress(given)).toBeNull();
  });
});

describe("a mailbox in a header", () => {
  const address = "ada@example.com";

  it.each([
    [undefined, "ada@example.com"],
    ["  ", "ada@example.com"],
    ["Ada Lovelace", "Ada Lovelace <ada@example.com>"],
    ["Lovelace, Ada", '"Lovelace, Ada" <ada@example.com>'],
    ['Ada "the first" \\o/', '"Ada \\"the first\\" \\\\o/" <ada@example.com>'],
    ["Zoë", "=?UTF-8?B?Wm/Dqw==?= <ada@example.com>"],
  ])("named %j is %s", (name, expected) => {
    expect(formatMailbox(name, address)).toBe(expected);
  });

  it.each(["taro..yamada@docomo.example", "taro.@docomo.example", ".taro@docomo.example"])(
    "has the address %s in quotes, and is read back as that address",
    async (odd) => {
      const quoted = odd.replace(/^(.*)@/, '"$1"@');
      expect(formatMailbox(undefined, odd)).toBe(quoted);
      expect(formatMailbox("Taro", odd)).toBe(`Taro <${quoted}>`);
      expect(formatMailbox("名".repeat(200), odd).length).toBeLessThanOrEqual(320);
      expect(parseMailbox(`Taro <${quoted}>`)).toEqual({ name: "Taro", address: odd });
      expect(parseMailbox(quoted)).toEqual({ name: undefined, address: odd });
      const parsed = await simpleParser(`To: Taro <${quoted}>\r\n\r\n`);
      expect([parsed.to ?? []].flat()[0]?.value).toMatchObject([{ name: "Taro" }]);
    },
  );

  it("cannot be broken out of by any name, and is read back as that name", async () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.string({ unit: "binary-ascii", maxLength: 40 }),
      fc.constantFrom(
        "a\r\nBcc: eve@example.com",
        "=?UTF-8?B?ZXZl?=",
        "eve@example.com,",
        "<eve@example.com>",
      ),
    );
    await fc.assert(
      fc.asyncProperty(name, async (given) => {
        const header = formatMailbox(given, address);
        expect(header).toMatch(/^[\x20-\x7e]{1,320}$/);
        const parsed = await simpleParser(`To: ${header}\r\n\r\n`);
        const to = [parsed.to ?? []].flat();
        expect(to.flatMap(({ value }) => value.map((mailbox) => mailbox.address))).toEqual([address]);
        expect([...parsed.headers.keys()]).toEqual(["to"]);
      }),
      { numRuns: 300 },
    );
    for (const plain of ["Zoë 🦊, “the fox”", "名".repeat(30), 'Ada, "Countess" O\'Byron']) {
      const parsed = await simpleParser(`To: ${formatMailbox(plain, address)}\r\n\r\n`);
      expect([parsed.to ?? []].flat()[0]?.value[0]?.name).toBe(plain);
    }
  });

  it("is cut where SES would refuse it", () => {
    expect(formatMailbox("名".repeat(200), address).length).toBeLessThanOrEqual(320);
  });
});

describe("a line of somebody's", () => {
  it.each([
    ["ends at no line end", "a\r\nBcc: eve@example.com\0\u2028b", "a Bcc: eve@example.com b"],
    ["does not turn what is behind it around", "Ada\u202E", "Ada"],
    ["keeps the marks that a language needs", "\u2067שלום\u2069\u200F!", "\u2067שלום\u2069\u200F!"],
    ["holds whole characters", "\ud83ea \ud83e\udd8a", "\ufffda 🦊"],
  ])("%s", (_, given, line) => {
    expect(onOneLine(given)).toBe(line);
  });
});

describe("a mailbox as somebody writes it", () => {
  it.each([
    ["ada@example.com", undefined],
    ["  ada@example.com ", undefined],
    ["<ada@example.com>", undefined],
    ["Ada <ada@example.com>", "Ada"],
    [" Ada  Lovelace<ada@example.com> ", "Ada Lovelace"],
    ["Ada K. Lovelace (Sales) <ada@example.com>", "Ada K. Lovelace (Sales)"],
    ["Zoë O'Brien 🎉 <ada@example.com>", "Zoë O'Brien 🎉"],
    ['"Lovelace, Ada" <ada@example.com>', "Lovelace, Ada"],
    ['"Ada \\"the first\\" \\\\ Lovelace" <ada@example.com>', 'Ada "the first" \\ Lovelace'],
    ['"<eve@example.com>" <ada@example.com>', "<eve@example.com>"],
    ['"" <ada@example.com>', undefined],
    [`${"a".repeat(200)} <ada@example.com>`, "a".repeat(200)],
  ])("%s is read", (written, name) => {
    expect(parseMailbox(written)).toEqual({ name, address: "ada@example.com" });
  });

  it.each([
    "Ada",
    "<>",
    "Ada <>",
    "Ada <ada>",
    "Ada <ada@example.com",
    "Ada ada@example.com>",
    "Ada < ada@example.com >",
    "Ada <ada@example.com> x",
    "Ada <ada@example.com>, Eve <eve@example.com>",
    "ada@example.com, Eve <eve@example.com>",
    "eve@example.com <ada@example.com>",
    "Ada <eve@example.com> <ada@example.com>",
    "Friends: Ada <ada@example.com>",
    '"Ada <ada@example.com>',
    'Ada" <ada@example.com>',
    '"Ada" Lovelace <ada@example.com>',
    '"Ada\\" <ada@example.com>',
    '"A"d"a" <ada@example.com>',
    "Ada\r\nBcc: eve@example.com\r\n <ada@example.com>",
    '"Ada\nBcc eve" <ada@example.com>',
    '"Ada\\\r" <ada@example.com>',
    "Ada\u2028 <ada@example.com>",
    "Ada\0 <ada@example.com>",
    "Ada <ada@example.com\r\nBcc: eve@example.com>",
    `${"a".repeat(201)} <ada@example.com>`,
    `${" ".repeat(800)}ada@example.com`,
  ])("%j is none", (written) => {
    expect(parseMailbox(written)).toBeNull();
  });

  it("gives back any name that was written into one, and adds no address to a header", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 60 }), async (name) => {
        const quoted = `"${name.replace(/["\\]/g, "\\$&")}" <ada@example.com>`;
        const parsed = parseMailbox(quoted);
        if (parsed === null) {
          expect(name).toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
          return;
        }
        const header = formatMailbox(parsed.name, parsed.address);
        const { to, headerLines } = await simpleParser(`To: ${header}\r\n\r\n`);
        expect(headerLines).toHaveLength(1);
        expect([to].flat()[0]?.value.map(({ address }) => address)).toEqual(["ada@example.com"]);
      }),
    );
  });
});
