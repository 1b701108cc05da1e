import { describe, expect, it } from "vitest";
import { publishCampaign, readCampaign } from "./publish-campaign.server";

const job = (email: string, campaignId = "spring") => ({
  recipient: { email },
  campaignId,
  site: { subject: "Spring" },
  branding: { siteName: "Northwind" },
  extra: "kept",
});
const ndjson = (...jobs: object[]) => jobs.map((line) => JSON.stringify(line)).join("\n");
const faultsOf = (text: string) => {
  try {
    readCampaign(text);
    return [];
  } catch (error) {
    return String(error).split("\n").slice(1);
  }
};

describe("a campaign file", () => {
  it("has a job in each line, as it stands; blank lines and Windows line ends are no matter", () => {
    const [a, b] = [ndjson(job("a@example.com")), ndjson(job("b@example.com"))];
    const deduplicationId = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(readCampaign(`\n${a}\r\n \r\n ${b} \r\n`)).toEqual({
      messages: [
        { line: 2, body: a, deduplicationId },
        { line: 4, body: b, deduplicationId },
      ],
      repeated: 0,
    });
  });

  it("has everybody once in a campaign", () => {
    const text = ndjson(job("a@example.com"), job("A@Example.com"), job("a@example.com", "summer"));
    const { messages, repeated } = readCampaign(text);
    expect(messages.map(({ line }) => line)).toEqual([1, 3]);
    expect(repeated).toBe(1);
    expect(new Set(messages.map(({ deduplicationId }) => deduplicationId)).size).toBe(2);
  });

  it("is refused as a whole, with every wrong line named", () => {
    const text = `${ndjson(job("a@example.com"), job("nobody"))}\nnot json\n[]\n{"campaignId":"x"}`;
    expect(faultsOf(text).map((line) => line.trim().split(":")[0])).toEqual([
      "line 2",
      "line 3",
      "line 4",
      "line 5",
    ]);
    expect(faultsOf(text)[0]).toBe(
      "  line 2: recipient.email: must be an e-mail address, like ada@example.com",
    );
    expect(faultsOf(text)[2]).toBe("  line 4: Invalid input: expected object, received array");
    expect(faultsOf("x\n".repeat(100)).at(-1)).toBe("  and 80 more");
    expect(faultsOf("x\n".repeat(20))).toHaveLength(20);
    expect(() => readCampaign("x")).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /^Nothing was published: the file has lines that are no campaign job\.\n/,
        ),
      }),
    );
  });

  it("is published with progress, and what the queue did not take is named", async () => {
    const { messages } = readCampaign(
      ndjson(...Array.from({ length: 25 }, (_, index) => job(`a${index}@example.com`))),
    );
    const seen: { published: number; failed: number }[] = [];
    const destinations = new Set<string>();
    const failed = await publishCampaign(messages, {
      apiBaseUrl: "https://api.example.com",
      concurrency: 4,
      queue: {
        async publish({ destination, body }) {
          destinations.add(destination);
          if (JSON.parse(body).recipient.email.startsWith("a7@")) throw new Error("refused");
        },
      },
      onProgress: (progress) => seen.push(progress),
    });
    expect(failed).toEqual([{ line: 8, message: "refused" }]);
    expect(seen).toHaveLength(25);
    expect(seen.at(-1)).toEqual({ published: 24, failed: 1 });
    expect([...destinations]).toEqual(["https://api.example.com/api/queue/send-email"]);
  });

  it("names what the queue did not take in the file's order, whatever came back first", async () => {
    const { messages } = readCampaign(ndjson(job("a@example.com"), job("b@example.com")));
    let refuseFirst = () => {};
    const firstRefused = new Promise<never>((_, reject) => {
      refuseFirst = () => reject(new Error("first"));
    });
    const failed = await publishCampaign(messages, {
      apiBaseUrl: "https://api.example.com",
      concurrency: 2,
      queue: {
        publish: ({ body }) =>
          body.includes("a@example.com") ? firstRefused : Promise.reject(new Error("second")),
      },
      onProgress: () => refuseFirst(),
    });
    expect(failed).toEqual([
      { line: 1, message: "first" },
      { line: 2, message: "second" },
    ]);
  });
});
