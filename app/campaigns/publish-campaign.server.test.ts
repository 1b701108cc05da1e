import { describe, expect, it } from "vitest";
import type { Published, PublishSettings, Queue, QueueMessage } from "../providers/queue.server";
import { AppError } from "../shared/app-error";
import type { CampaignMessage } from "./campaign-file.server";
import { type PublishProgress, publishCampaign } from "./publish-campaign.server";

async function* messages(count: number, body = "{}", failsAt = 0): AsyncGenerator<CampaignMessage> {
  for (let line = 1; line <= count; line++) {
    if (line === failsAt) throw new Error(`Line ${line} has changed.`);
    yield { line, body, deduplicationId: String(line), label: "spring" };
  }
}
/** @param take returns the results for a batch; undefined: all messages are accepted */
function queueWith(take: (lines: number[], batch: number) => Published[] | Promise<Published[]> | undefined) {
  const batches: number[][] = [];
  const deliveries: PublishSettings[] = [];
  const queue: Pick<Queue, "publish"> = {
    async publish(batch: readonly QueueMessage[], delivery) {
      const lines = batch.map(({ deduplicationId }) => Number(deduplicationId));
      deliveries.push(delivery);
      const taken = take(lines, batches.push(lines));
      return taken ?? lines.map(() => ({ state: "new" }));
    },
  };
  return { queue, batches, deliveries };
}
const publish = (
  count: number,
  queue: Pick<Queue, "publish">,
  more: Partial<Parameters<typeof publishCampaign>[1]> & { body?: string; failsAt?: number } = {},
) =>
  publishCampaign(messages(count, more.body, more.failsAt), {
    queue,
    apiBaseUrl: "https://api.example.com",
    rate: 14,
    concurrency: 2,
    ...more,
  });

describe("publishing a campaign", () => {
  it("sends a hundred messages at a time, with the given rate, and reports progress", async () => {
    const { queue, batches, deliveries } = queueWith(() => undefined);
    const seen: PublishProgress[] = [];
    const outcome = await publish(250, queue, { onProgress: (progress) => seen.push({ ...progress }) });
    expect(outcome).toEqual({ new: 250, duplicate: 0, refused: 0, refusals: [] });
    expect(batches.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(batches.flat()).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
    expect(seen.map((progress) => progress.new).sort((a, b) => a - b)).toEqual([100, 200, 250]);
    expect(deliveries[0]).toEqual({
      destination: "https://api.example.com/api/queue/send-email",
      flowControlKey: "campaign-emails.api.example.com",
      rate: 14,
      parallelism: 50,
      retries: 3,
    });
  });

  it("sends fewer at a time if they are large", async () => {
    const { queue, batches } = queueWith(() => undefined);
    await publish(5, queue, { body: "x".repeat(200 * 1024), concurrency: 1 });
    expect(batches).toEqual([[1, 2], [3, 4], [5]]);
  });

  it("counts messages that the queue had already, and lists refused ones in the file's order", async () => {
    const { queue } = queueWith((lines) =>
      lines.map((line): Published => {
        if (line % 50 === 0) return { state: "refused", message: "too large" };
        return { state: line % 2 === 0 ? "duplicate" : "new" };
      }),
    );
    expect(await publish(150, queue)).toEqual({
      new: 75,
      duplicate: 72,
      refused: 3,
      refusals: [50, 100, 150].map((line) => ({ line, message: "too large" })),
    });
  });

  it("stops if the queue refuses a request, and returns the line to continue from", async () => {
    const { queue, batches } = queueWith((_, batch) => {
      if (batch !== 2) return undefined;
      throw new AppError("provider_failed", "The queue does not accept QUEUE_TOKEN (401): no.");
    });
    const outcome = await publish(1_000, queue, { concurrency: 1 });
    expect(outcome).toMatchObject({ new: 100, continueFrom: 101 });
    expect(outcome.stopped).toBe("The queue does not accept QUEUE_TOKEN (401): no.");
    expect(batches).toHaveLength(2);
  });

  it("continues from the first line that may not be published, whichever request ended first", async () => {
    let failFirst = () => {};
    const { queue } = queueWith((_, batch) => {
      if (batch === 1)
        return new Promise((_, reject) => {
          failFirst = () => reject(new Error("gone"));
        });
      if (batch === 3) failFirst();
      return undefined;
    });
    expect(await publish(10_000, queue)).toMatchObject({ stopped: "gone", continueFrom: 1 });
  });

  it("stops if the queue refuses every message of three requests in a row", async () => {
    const { queue, batches } = queueWith((lines, batch) =>
      batch === 2 ? undefined : lines.map(() => ({ state: "refused", message: "no" })),
    );
    const outcome = await publish(10_000, queue, { concurrency: 1 });
    expect(batches).toHaveLength(5);
    expect(outcome).toMatchObject({
      stopped: "The queue refused all messages of several requests.",
      continueFrom: 501,
      refused: 400,
    });
    expect(outcome.refusals).toHaveLength(20);
  });

  it("stops when it is aborted, after the current requests", async () => {
    const stop = new AbortController();
    const { queue, batches } = queueWith((_, batch) => {
      if (batch === 3) stop.abort();
      return undefined;
    });
    const outcome = await publish(10_000, queue, { concurrency: 1, signal: stop.signal });
    expect(batches).toHaveLength(3);
    expect(outcome).toMatchObject({ new: 300, stopped: "Publishing was interrupted.", continueFrom: 301 });
  });

  it("is complete if it is aborted after the last message", async () => {
    const stop = new AbortController();
    const { queue } = queueWith(() => {
      stop.abort();
      return undefined;
    });
    const outcome = await publish(100, queue, { concurrency: 1, signal: stop.signal });
    expect(outcome).toEqual({ new: 100, duplicate: 0, refused: 0, refusals: [] });
  });

  it("stops if a message cannot be read, after the current requests, and returns the line to continue from", async () => {
    let answerFirst = () => {};
    const { queue, batches } = queueWith((lines, batch) => {
      if (batch === 2) answerFirst();
      if (batch !== 1) return undefined;
      return new Promise((resolve) => {
        answerFirst = () =>
          setImmediate(
            resolve,
            lines.map(() => ({ state: "new" })),
          );
      });
    });
    expect(await publish(1_000, queue, { failsAt: 250 })).toEqual({
      new: 200,
      duplicate: 0,
      refused: 0,
      refusals: [],
      stopped: "Line 250 has changed.",
      continueFrom: 201,
    });
    expect(batches).toHaveLength(2);
  });

  it("continues from a failed request that came before a message that cannot be read", async () => {
    const { queue } = queueWith((_, batch) => {
      if (batch === 1) return Promise.reject(new Error("gone"));
      return undefined;
    });
    expect(await publish(1_000, queue, { failsAt: 250, concurrency: 4 })).toMatchObject({ continueFrom: 1 });
    // Here the message is read after publishing has stopped.
    const refusing = queueWith((lines) => lines.map(() => ({ state: "refused", message: "no" })));
    expect(await publish(1_000, refusing.queue, { failsAt: 350, concurrency: 1 })).toMatchObject({
      refused: 300,
      stopped: "The queue refused all messages of several requests.",
      continueFrom: 301,
    });
  });

  it("continues from the start if no message can be read", async () => {
    const { queue, batches } = queueWith(() => undefined);
    expect(await publish(1_000, queue, { failsAt: 1, from: 7 })).toMatchObject({ new: 0, continueFrom: 7 });
    expect(batches).toEqual([]);
  });
});
