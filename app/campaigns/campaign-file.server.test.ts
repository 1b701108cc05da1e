import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { type CampaignMessage, checkCampaign, readMessages } from "./campaign-file.server";

const UNSUBSCRIBE_URL = "{siteUrl}/unsubscribe?token={token}";
const job = (email: string, members: object = {}) => ({
  recipient: { email },
  campaignId: "spring",
  site: { subject: "Spring" },
  branding: { siteName: "Northwind" },
  extra: "kept",
  ...members,
});
const ndjson = (...jobs: object[]) => jobs.map((line) => JSON.stringify(line)).join("\n");
async function* chunks(text: string) {
  yield Buffer.from(text);
}
const check = (text: string) => checkCampaign(chunks(text), UNSUBSCRIBE_URL);
const messagesOf = (text: string, from?: number): Promise<CampaignMessage[]> =>
  Readable.from(readMessages(chunks(text), from)).toArray();
const faultsOf = async (text: string) =>
  check(text).then(
    () => [],
    (error) => String(error).split("\n").slice(1),
  );

describe("a campaign file", () => {
  it("has a job in each line, as it stands; blank lines and Windows line ends are no matter", async () => {
    const [a, b] = [ndjson(job("a@example.com")), ndjson(job("b@example.com"))];
    const text = `\n${a}\r\n \r\n ${b} \r\n`;
    expect(await check(text)).toEqual({
      jobs: 2,
      before: 0,
      repeated: 0,
      campaignId: "spring",
      ignored: new Map([["extra", 2]]),
    });
    const deduplicationId = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(await messagesOf(text)).toEqual([
      { line: 2, body: a, deduplicationId },
      { line: 4, body: b, deduplicationId },
    ]);
  });

  it("has everybody once in a campaign", async () => {
    const summer = { campaignId: "summer" };
    const text = ndjson(job("a@example.com"), job("A@Example.com"), job("a@example.com", summer));
    expect(await check(text)).toMatchObject({ jobs: 2, repeated: 1 });
    expect((await messagesOf(text)).map(({ line }) => line)).toEqual([1, 3]);
  });

  it("names each member that no job has once, where it is first", async () => {
    const mistyped = {
      theme: null,
      themes: "red",
      featuredProducts: [
        { name: "Pack", cost: "1" },
        { name: "Tent", cost: "2" },
      ],
    };
    const text = ndjson(job("a@example.com"), job("b@example.com", mistyped), job("c@example.com", mistyped));
    const { ignored } = await check(text);
    expect([...ignored]).toEqual([
      ["extra", 1],
      ["themes", 2],
      ["featuredProducts.cost", 2],
    ]);
  });

  it("is gone on with from a line, and who came before it is not in it again", async () => {
    const text = ndjson(
      job("a@example.com"),
      job("b@example.com"),
      job("A@example.com"),
      job("c@example.com"),
    );
    expect((await messagesOf(text, 2)).map(({ line }) => line)).toEqual([2, 4]);
    expect(await checkCampaign(chunks(text), UNSUBSCRIBE_URL, { from: 2 })).toMatchObject({
      jobs: 2,
      before: 1,
      repeated: 1,
    });
    await expect(checkCampaign(chunks(text), UNSUBSCRIBE_URL, { from: 5 })).rejects.toThrow(
      "Nothing was published: there is no job from line 5 on.",
    );
  });

  it("makes another message of a job that was corrected", async () => {
    const idsOf = async (text: string) =>
      (await messagesOf(text)).map(({ deduplicationId }) => deduplicationId);
    const first = ndjson(job("a@example.com"));
    expect(await idsOf(first)).toEqual(await idsOf(first));
    expect(await idsOf(ndjson(job("a@example.com", { site: { subject: "Sprung" } })))).not.toEqual(
      await idsOf(first),
    );
  });

  it("is refused as a whole, with every wrong line named", async () => {
    const text = `${ndjson(job("a@example.com"), job("nobody"))}\nnot json\n[]\n{"campaignId":"x"}`;
    const faults = await faultsOf(text);
    expect(faults).toEqual([
      "  line 2: recipient.email: must be an e-mail address, like ada@example.com",
      "  line 3: must be JSON in UTF-8",
      "  line 4: Invalid input: expected object, received array",
      "  line 5: recipient: is required",
    ]);
    expect((await faultsOf("x\n".repeat(100))).slice(20)).toEqual(["  and 80 more"]);
    expect(await faultsOf("x\n".repeat(20))).toHaveLength(20);
    await expect(check("x")).rejects.toThrow(
      /^Nothing was published: the file has lines that are no campaign job\.\n/,
    );
  });

  it("is refused where the webhook would not read it: a job of more values than it takes", async () => {
    // Members that nobody knows are ignored, but read.
    const values = (count: number) => job("a@example.com", { more: Array.from({ length: count }, () => 0) });
    expect((await messagesOf(ndjson(values(19_900)))).length).toBe(1);
    expect(await faultsOf(ndjson(values(20_001)))).toEqual(["  line 1: must hold at most 20000 values"]);
  });

  it("is refused where the webhook would refuse it: an e-mail that cannot be made, or is too large", async () => {
    const withoutSite = job("a@example.com", {
      recipient: { email: "a@example.com", unsubscribeToken: "t" },
    });
    const tooLarge = job("b@example.com", {
      featuredProducts: Array.from({ length: 100 }, () => ({ name: "x".repeat(300) })),
      events: Array.from({ length: 100 }, () => ({ title: "y".repeat(300), date: "z".repeat(100) })),
    });
    expect(await faultsOf(ndjson(withoutSite, tooLarge))).toEqual([
      "  line 1: branding.siteUrl: is needed for the unsubscribe link",
      expect.stringMatching(/^ {2}line 2: featuredProducts: .*102 kB/),
    ]);
    expect(await faultsOf(`"${"x".repeat(300_000)}"`)).toEqual(["  line 1: is over 256 kB, or is not UTF-8"]);
  });

  it("without a job is no campaign", async () => {
    await expect(check(" \n\n")).rejects.toThrow("Nothing was published: there is no job in it.");
  });

  it("is not published on when it has changed since it was checked", async () => {
    await expect(messagesOf("{}")).rejects.toThrow("Line 1 has changed since it was checked.");
  });
});
