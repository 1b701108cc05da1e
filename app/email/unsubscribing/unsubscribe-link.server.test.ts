import { expect, it } from "vitest";
import type { AppError } from "../../shared/app-error";
import { unsubscribeHeaders, unsubscribeLink } from "./unsubscribe-link.server";

const ORDINARY = "{siteUrl}/unsubscribe?token={token}";
const site = "https://n.example.com";

const linkOf = (template: string, siteUrl?: string, unsubscribeToken: string | null = "t") =>
  unsubscribeLink(
    {
      recipient: { email: "ada@example.com", unsubscribeToken: unsubscribeToken ?? undefined },
      branding: { siteName: "Northwind", siteUrl },
    },
    { template },
    "event",
  );
const issuesOf = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return (error as AppError).issues;
  }
};

it.each([
  [site, `${site}/unsubscribe?token=t`],
  [`${site}/`, `${site}/unsubscribe?token=t`],
  ["https://N.example.com:443/shop///", `${site}/shop/unsubscribe?token=t`],
  [`${site}:8443/a%20b/`, `${site}:8443/a%20b/unsubscribe?token=t`],
  // The site's own path and query are kept.
  [`${site}/?ref=mail`, `${site}/unsubscribe?ref=mail&token=t`],
  [`${site}?ref=mail`, `${site}/unsubscribe?ref=mail&token=t`],
  [`${site}/shop/?a=1&b=%20#top`, `${site}/shop/unsubscribe?a=1&b=%20&token=t`],
  [`${site}/#top`, `${site}/unsubscribe?token=t`],
  [`${site}/?`, `${site}/unsubscribe?token=t`],
  [`${site}/?token=theirs&to%6ben=x&tokens=1`, `${site}/unsubscribe?tokens=1&token=t`],
])("appends to the site's URL: %s", (siteUrl, link) => {
  expect(linkOf(ORDINARY, siteUrl)).toBe(link);
});

it.each([
  ["{siteUrl}/u/{token}", `${site}/shop/u/t?ref=mail`],
  ["{siteUrl}?u={token}", `${site}/shop?ref=mail&u=t`],
  ["{siteUrl}/?u={token}&list=1", `${site}/shop/?ref=mail&u=t&list=1`],
  ["{siteUrl}#/unsubscribe?token={token}", `${site}/shop?ref=mail#/unsubscribe?token=t`],
  ["{siteUrl}/u?ref=list&t={token}#form", `${site}/shop/u?ref=list&t=t#form`],
  ["{siteUrl}u/{token}", `${site}/shop/u/t?ref=mail`],
  ["https://u.example/{token}", "https://u.example/t"],
  [
    "https://u.example/?of={siteUrl}&t={token}#a",
    `https://u.example/?of=${encodeURIComponent(`${site}/shop/?ref=mail`)}&t=t#a`,
  ],
])("fills in the template: %s", (template, link) => {
  expect(linkOf(template, `${site}/shop/?ref=mail`)).toBe(link);
});

it("encodes the token as one value", () => {
  const token = "a/b?c&d#e%f{siteUrl}$&ü ";
  const link = new URL(linkOf(ORDINARY, site, token) ?? "");
  expect([link.pathname, link.searchParams.get("token"), link.hash]).toEqual(["/unsubscribe", token, ""]);
});

it("is null without a token, and needs siteUrl only if the template does", () => {
  expect(linkOf(ORDINARY, undefined, null)).toBeNull();
  expect(linkOf("https://u.example/{token}")).toBe("https://u.example/t");
  expect(issuesOf(() => linkOf(ORDINARY))).toEqual([
    { path: "branding.siteUrl", message: "is needed for the unsubscribe link" },
  ]);
});

it("is refused if the template gives no valid URL", () => {
  expect(issuesOf(() => linkOf("https://{siteUrl}/{token}", site))).toEqual([
    { path: "branding.siteUrl", message: "does not give an unsubscribe link" },
  ]);
});

it("is at most as long as a header of 870 characters allows", () => {
  const fits = 870 - "<https://u.example/>".length;
  const long = `https://u.example/${"a".repeat(fits - 1)}{token}`;
  expect(unsubscribeHeaders(linkOf(long) ?? "")[0]?.value).toHaveLength(870);
  expect(issuesOf(() => linkOf(long, undefined, "tt"))).toEqual([
    { path: "recipient.unsubscribeToken", message: "makes the unsubscribe link too long for a header" },
  ]);
});

it("offers one-click unsubscribing only with https", () => {
  expect(unsubscribeHeaders("https://u.example/t")).toHaveLength(2);
  expect(unsubscribeHeaders("http://u.example/t")).toEqual([
    { name: "List-Unsubscribe", value: "<http://u.example/t>" },
  ]);
});
