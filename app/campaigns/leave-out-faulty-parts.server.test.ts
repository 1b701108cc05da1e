import { describe, expect, it } from "vitest";
import { deliveredJobSchema } from "./leave-out-faulty-parts.server";

const whole = {
  recipient: { email: "ada@example.com", name: "Ada" },
  campaignId: "spring",
  site: { subject: "Hello" },
  branding: { siteName: "Shop", siteUrl: "https://shop.example", supportEmail: "help@shop.example" },
  featuredProducts: [{ name: "Lamp", url: "https://shop.example/lamp" }, { name: "Desk" }],
  events: [{ title: "Fair", date: "2026-12-01" }],
};
const read = (job: object) => deliveredJobSchema("Sender").parse(job);
const leftOut = (job: object) => read(job).leftOut;

describe("a job that the queue delivers", () => {
  it("is read as it is if nothing is wrong with it", () => {
    expect(read(whole)).toMatchObject(whole);
    expect(leftOut(whole)).toEqual([]);
  });

  it.each<[string, object, object, string[]]>([
    [
      "a site's name",
      { branding: { siteName: 5, siteUrl: "https://shop.example" } },
      { branding: { siteName: "Sender", siteUrl: "https://shop.example" } },
      ["branding.siteName"],
    ],
    [
      "an address for questions",
      { branding: { siteName: "Shop", supportEmail: 5 } },
      { branding: { siteName: "Shop" } },
      ["branding.supportEmail"],
    ],
    [
      "a product's address",
      { featuredProducts: [{ name: "Lamp", url: "x" }] },
      { featuredProducts: [{ name: "Lamp" }] },
      ["featuredProducts[0].url"],
    ],
    [
      "products without names",
      { featuredProducts: [{ url: "https://a.example" }, { name: 5 }, { name: "Desk" }, null] },
      { featuredProducts: [{ name: "Desk" }] },
      ["featuredProducts[0]", "featuredProducts[1].name", "featuredProducts[3]", "featuredProducts[0]"],
    ],
    [
      "an event's date",
      { events: [{ title: "Fair", date: 20261201 }, whole.events[0]] },
      { events: whole.events },
      ["events[0].date", "events[0]"],
    ],
    ["a list that is none", { events: "soon" }, { events: [] }, ["events"]],
    ["a theme", { theme: "violet" }, {}, ["theme"]],
    ["a company", { companyId: 7 }, {}, ["companyId"]],
    ["a button", { button: { label: "Buy" } }, {}, ["button"]],
    [
      "a recipient's name",
      { recipient: { email: "ada@example.com", name: 5 } },
      { recipient: { email: "ada@example.com" } },
      ["recipient.name"],
    ],
  ])("is read without %s that is faulty", (_, faulty, expected, names) => {
    expect(read({ ...whole, ...faulty })).toMatchObject(expected);
    expect(leftOut({ ...whole, ...faulty })).toEqual([...new Set(names)]);
  });

  it.each([
    ["branding", { branding: undefined }, ["branding", "branding.siteName"]],
    ["branding but null", { branding: null }, ["branding", "branding.siteName"]],
    ["a site's name", { branding: {} }, ["branding.siteName"]],
    ["a site's name but an empty one", { branding: { siteName: "", siteUrl: "" } }, ["branding.siteName"]],
  ])("is from the sender's name if it has no %s", (_, missing, names) => {
    expect(read({ ...whole, ...missing }).branding).toEqual({ siteName: "Sender" });
    expect(leftOut({ ...whole, ...missing })).toEqual(names);
  });

  it("may have a number as its campaign", () => {
    expect(read({ ...whole, campaignId: 42 }).campaignId).toBe("42");
    expect(leftOut({ ...whole, campaignId: 42 })).toEqual([]);
  });

  it("does not say itself what is left out of it", () => {
    expect(leftOut({ ...whole, leftOut: ["theme"] })).toEqual([]);
  });

  it("names no variable that it leaves out", () => {
    expect(leftOut({ ...whole, variables: { "ada@example.com": "x" } })).toEqual(["variables"]);
  });

  it.each([
    ["nobody to send to", { recipient: { name: "Ada" } }, "recipient.email"],
    ["an invalid address", { recipient: { email: "ada" } }, "recipient.email"],
    ["no subject", { site: {} }, "site.subject"],
    ["no campaign", { campaignId: "" }, "campaignId"],
    ["a text that is too long", { body: "a".repeat(20_001) }, "body"],
    [
      "a way to unsubscribe that is none",
      { recipient: { email: "ada@example.com", unsubscribeToken: 5 } },
      "recipient.unsubscribeToken",
    ],
    // These say from which site somebody may have unsubscribed.
    [
      "an address of the site without https",
      { branding: { siteName: "Shop", siteUrl: "shop.example" } },
      "branding.siteUrl",
    ],
    [
      "an address of the site that is no text",
      { branding: { siteName: "Shop", siteUrl: 5 } },
      "branding.siteUrl",
    ],
    ["a site's name that is none, and no address", { branding: { siteName: 5 } }, "branding.siteName"],
    ["branding that is a text", { branding: "Shop" }, "branding"],
    ["branding that is a list", { branding: [{ siteName: "Shop" }] }, "branding"],
  ])("with %s is refused, with all issues", (_, faulty, path) => {
    const job = { ...whole, theme: "violet", ...faulty };
    const { error } = deliveredJobSchema("Sender").safeParse(job);
    expect(error?.issues.map((issue) => issue.path.join("."))).toEqual(
      expect.arrayContaining([path, "theme"]),
    );
  });

  it.each([null, [], "job", 5])("that is %j is refused", (job) => {
    expect(deliveredJobSchema("Sender").safeParse(job).success).toBe(false);
  });
});
