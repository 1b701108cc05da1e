import { expect, it } from "vitest";
import { openSubscription, type Subscription, sealSubscription, siteOf } from "./subscription.server";

const ada: Subscription = {
  address: "ada@example.com",
  site: "north.example",
  siteName: "Northwind",
  locale: "de-AT",
};
const [secret, previous, other] = ["a", "b", "c"].map((letter) => letter.repeat(32)) as [
  string,
  string,
  string,
];

it("can be opened with the secret that sealed it, among others", () => {
  expect(openSubscription(sealSubscription(ada, secret), [secret])).toEqual(ada);
  const old = sealSubscription({ ...ada, locale: null }, previous);
  expect(openSubscription(old, [secret, previous])).toEqual({ ...ada, locale: null });
  expect(openSubscription(old, [secret, other])).toBeNull();
  expect(openSubscription(old, [])).toBeNull();
});

it("hides the address, and is different each time", () => {
  const tokens = [sealSubscription(ada, secret), sealSubscription(ada, secret)];
  expect(new Set(tokens).size).toBe(2);
  for (const token of tokens) {
    expect(token).toMatch(/^[\w-]+$/);
    expect(Buffer.from(token, "base64url").toString("latin1")).not.toMatch(/ada|example|Northwind/);
  }
});

it("cannot be opened after any change", () => {
  const token = sealSubscription(ada, secret);
  const bytes = Buffer.from(token, "base64url");
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(openSubscription(changed.toString("base64url"), [secret]), `bit ${bit}`).toBeNull();
  }
  for (let length = 0; length < token.length; length++)
    expect(openSubscription(token.slice(0, length), [secret]), `${length} characters`).toBeNull();
  for (const wrong of [
    `${token}A`,
    `${token}=`,
    ` ${token}`,
    `${token}\n`,
    "A".repeat(871),
    "é",
    "AA".repeat(1e6),
  ])
    expect(openSubscription(wrong, [secret])).toBeNull();
});

it("is short enough for a header, whatever the site's name", () => {
  const long = {
    ...ada,
    address: `${"a".repeat(64)}@${"b".repeat(60)}.example`,
    siteName: "株式会社".repeat(25),
  };
  const token = sealSubscription(long, secret);
  expect(token.length).toBeLessThan(400);
  const name = openSubscription(token, [secret])?.siteName ?? "";
  expect(name).toMatch(/^(株式会社)+.*…$/);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(60);
});

it.each([
  ["https://www.Shop.example/de", "https://shop.example./"],
  ["https://www.shop.example.", "https://shop.example"],
])("%s and %s are one site", (siteUrl, other) => {
  expect(siteOf({ siteName: "Shop", siteUrl })).toBe(siteOf({ siteName: "Shop", siteUrl: other }));
});

it("a name is one site, however its letters are encoded", () => {
  expect(siteOf({ siteName: "Cafe\u0301 Nord" })).toBe(siteOf({ siteName: "CAF\u00c9 Nord" }));
});
