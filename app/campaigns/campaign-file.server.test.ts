import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { renderMarkdown } from "../email/markdown.server";
import { type CampaignMessage, checkCampaign, readLines, readMessages } from "./campaign-file.server";

const rendering = { unsubscribing: { template: "{siteUrl}/unsubscribe?token={token}" }, renderMarkdown };
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
const check = (text: string) => checkCampaign(chunks(text), rendering);
const messagesOf = (text: string, options?: Parameters<typeof readMessages>[1]): Promise<CampaignMessage[]> =>
  Readable.from(readMessages(chunks(text), options)).toArray();
const issuesOf = async (text: string) =>
  check(text).then(
    () => [],
    (error) => String(error).split("\n").slice(1),
  );

describe("a campaign file", () => {
  it("has one job on each line; blank lines and CRLF are accepted", async () => {
    const [a, b] = [ndjson(job("a@example.com")), ndjson(job("b@example.com"))];
    const text = `\n${a}\r\n \r\n ${b} \r\n`;
    expect(await check(text)).toEqual({
      jobs: 2,
      jobsBefore: 0,
      withoutUnsubscribe: 2,
      repeatedLines: new Set(),
      campaignId: "spring",
      ignored: new Map([["extra", 2]]),
    });
    const deduplicationId = expect.stringMatching(/^[0-9a-f]{64}$/);
    const label = "spring";
    expect(await messagesOf(text)).toEqual([
      { line: 2, body: a, deduplicationId, label },
      { line: 4, body: b, deduplicationId, label },
    ]);
  });

  it("labels each message with its campaign, in characters that a queue takes", async () => {
    const ids = ["spring", "Frühling, 2027", "Fruhling- 2027"];
    const text = ndjson(...ids.map((campaignId) => job("a@example.com", { campaignId })));
    const labels = (await messagesOf(text)).map(({ label }) => label);
    expect(labels[0]).toBe("spring");
    expect(new Set(labels).size).toBe(3);
    for (const label of labels) expect(label).toMatch(/^[\w-]+$/);
  });

  it("has each recipient once in a campaign", async () => {
    const summer = { campaignId: "summer" };
    const text = ndjson(job("a@example.com"), job("A@Example.com"), job("a@example.com", summer));
    const { jobs, repeatedLines } = await check(text);
    expect([jobs, [...repeatedLines]]).toEqual([2, [2]]);
    expect((await messagesOf(text, { skip: repeatedLines })).map(({ line }) => line)).toEqual([1, 3]);
  });

  it("names each unknown member with its first line", async () => {
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

  it("can be continued from a line; recipients of earlier lines are skipped", async () => {
    const text = ndjson(
      job("a@example.com"),
      job("b@example.com"),
      job("A@example.com"),
      job("c@example.com"),
    );
    const {
      jobs,
      jobsBefore: before,
      repeatedLines,
    } = await checkCampaign(chunks(text), rendering, { from: 2 });
    expect([jobs, before]).toEqual([2, 1]);
    const messages = await messagesOf(text, { from: 2, skip: repeatedLines });
    expect(messages.map(({ line }) => line)).toEqual([2, 4]);
    await expect(checkCampaign(chunks(text), rendering, { from: 5 })).rejects.toThrow(
      "Nothing was published: the file contains no job from line 5 on.",
    );
  });

  it("gives a corrected job another deduplication id", async () => {
    const idsOf = async (text: string) =>
      (await messagesOf(text)).map(({ deduplicationId }) => deduplicationId);
    const first = ndjson(job("a@example.com"));
    expect(await idsOf(first)).toEqual(await idsOf(first));
    expect(await idsOf(ndjson(job("a@example.com", { site: { subject: "Sprung" } })))).not.toEqual(
      await idsOf(first),
    );
  });

  it("is refused as a whole, with the invalid lines listed", async () => {
    const text = `${ndjson(job("a@example.com"), job("nobody"))}\nnot json\n[]\n{"campaignId":"x"}`;
    const issues = await issuesOf(text);
    expect(issues).toEqual([
      "  line 2: recipient.email: must be an e-mail address, like ada@example.com",
      "  line 3: must be JSON in UTF-8",
      "  line 4: must be an object, not a list",
      "  line 5: recipient: is required; site: is required; branding: is required",
    ]);
    expect((await issuesOf("x\n".repeat(100))).slice(20)).toEqual(["  and 80 more"]);
    expect(await issuesOf("x\n".repeat(20))).toHaveLength(20);
    await expect(check("x")).rejects.toThrow(
      /^Nothing was published: some lines are not valid campaign jobs\.\n/,
    );
  });

  it("cannot write control characters to the terminal", async () => {
    const sequence = "\u001b]0;title\u0007";
    const jobs = [{ body: `{{${sequence}}}` }, { variables: { [sequence]: "x" } }].map((members) =>
      job("a@example.com", members),
    );
    expect(await issuesOf(ndjson(...jobs))).toEqual([
      "  line 1: body: {{ ]0;title }} is not a variable: write it like {{first_name}} or {{first_name|friend}}",
      expect.stringMatching(/^ {2}line 2: variables\. \]0;title : is not a variable's name: /),
    ]);
  });

  it("is refused if a job has more values than the job endpoint accepts", async () => {
    // Unknown members are ignored, but they count.
    const values = (count: number) => job("a@example.com", { more: Array.from({ length: count }, () => 0) });
    expect((await messagesOf(ndjson(values(19_900)))).length).toBe(1);
    expect(await issuesOf(ndjson(values(20_001)))).toEqual(["  line 1: must contain at most 20000 values"]);
  });

  it("is refused if an e-mail cannot be rendered, or is too large", async () => {
    const withoutSite = job("a@example.com", {
      recipient: { email: "a@example.com", unsubscribeToken: "t" },
    });
    const tooLarge = job("b@example.com", {
      featuredProducts: Array.from({ length: 100 }, () => ({ name: "x".repeat(300) })),
      events: Array.from({ length: 100 }, () => ({ title: "y".repeat(300), date: "z".repeat(100) })),
    });
    expect(await issuesOf(ndjson(withoutSite, tooLarge))).toEqual([
      "  line 1: branding.siteUrl: is needed for the unsubscribe link",
      expect.stringMatching(/^ {2}line 2: featuredProducts: .*102 kB/),
    ]);
    expect(await issuesOf(`"${"x".repeat(300_000)}"`)).toEqual(["  line 1: is over 256 kB, or is not UTF-8"]);
  });

  it("is refused without a job", async () => {
    await expect(check(" \n\n")).rejects.toThrow("Nothing was published: the file contains no job.");
  });

  it("is not published further if a line is no longer valid", async () => {
    await expect(messagesOf("{}")).rejects.toThrow("Line 1 has changed since it was checked.");
  });
});

describe("the lines of a file", () => {
  const linesOf = async (pieces: (string | Uint8Array)[], maxBytes = 1_000) => {
    async function* source() {
      for (const piece of pieces) yield Buffer.from(piece);
    }
    const lines = await Readable.from(readLines(source(), maxBytes)).toArray();
    return lines.map(({ line, text }) => [line, text]);
  };

  it("are the same, however the file is cut into chunks", async () => {
    const text = "one\r\n\n tw\u00f6 \nth\u2028ree";
    const whole = await linesOf([text]);
    expect(whole).toEqual([
      [1, "one"],
      [2, ""],
      [3, "tw\u00f6"],
      [4, "th\u2028ree"],
    ]);
    const bytes = Buffer.from(text);
    for (let at = 1; at < bytes.length; at++)
      expect(await linesOf([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    expect(await linesOf([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  it("have no empty line after the last line feed", async () => {
    expect(await linesOf([])).toEqual([]);
    expect(await linesOf(["a\n"])).toEqual([[1, "a"]]);
  });

  it("begin after a byte order mark", async () => {
    expect(await linesOf(["\uFEFF{}\n"])).toEqual([[1, "{}"]]);
  });

  it("have no text if they are too long, or not UTF-8", async () => {
    expect(await linesOf(["12345", "678\nshort\n", "x".repeat(8)], 7)).toEqual([
      [1, null],
      [2, "short"],
      [3, null],
    ]);
    expect(await linesOf(["1234567"], 7)).toEqual([[1, "1234567"]]);
    expect(await linesOf([Uint8Array.of(0xe9, 0x0a, 0x61)])).toEqual([
      [1, null],
      [2, "a"],
    ]);
  });
});
