import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { testEvents } from "../../tests/support/files/test-events";
import { newEventId } from "../events/events.server";
import { MailError, type MailErrorKind, type Mailer } from "../providers/mail.server";
import { currentMetrics, startMetrics } from "../telemetry/metrics.server";
import { sendMessage } from "./send-message.server";

const message = { from: "a@b.example", to: "c@d.example", subject: "", html: "", text: "", headers: [] };
const send = vi.fn<Mailer["send"]>();
const failing = (kind: MailErrorKind) => new MailError(kind, new Error("from the provider"));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  if (currentMetrics() === undefined)
    startMetrics({
      poolState: () => ({ total: 0, idle: 0, waiting: 0 }),
      webhooksOverdueSeconds: async () => 0,
    });
  currentMetrics()?.emails.reset();
  send.mockReset().mockResolvedValue({ messageId: "message-1" });
});
afterEach(() => vi.useRealTimers());

/** @param seconds that the request has. Pauses take no time, but move the clock. */
async function sendWithin(seconds: number, kind: "simple" | "campaign") {
  const deadline = performance.now() + seconds * 1_000;
  const context = { requestId: "r", route: "/", callerAddress: "::1", deadline };
  const event = { id: newEventId(), companyId: null, campaignId: null, recipient: "c@d.example" };
  const result = sendMessage(message, event, kind, { mailer: { send }, events: testEvents(), context }).then(
    ({ messageId }) => messageId,
    (error: unknown) => (error instanceof MailError ? error.kind : error),
  );
  await vi.runAllTimersAsync();
  return result;
}
const counted = async () =>
  (await currentMetrics()?.emails.get())?.values.map(({ labels, value }) => [
    labels.kind,
    labels.outcome,
    value,
  ]);

describe.each(["simple", "campaign"] as const)("a message of a %s e-mail", (kind) => {
  it("is asked for again while the provider is busy, and counted once", async () => {
    send.mockRejectedValueOnce(failing("throttled")).mockRejectedValueOnce(failing("unreachable"));
    expect(await sendWithin(12, kind)).toBe("message-1");
    expect(send).toHaveBeenCalledTimes(3);
    expect(await counted()).toEqual([[kind, "sent", 1]]);
  });

  it("is given up after two further attempts in an outage", async () => {
    send.mockRejectedValue(failing("unreachable"));
    expect(await sendWithin(12, kind)).toBe("unreachable");
    expect(send).toHaveBeenCalledTimes(3);
    expect(await counted()).toEqual([[kind, "unreachable", 1]]);
  });

  it.each(["refused", "failed", "unknown"] as const)("is not tried again once it is %s", async (failure) => {
    send.mockRejectedValue(failing(failure));
    expect(await sendWithin(12, kind)).toBe(failure);
    expect(send).toHaveBeenCalledTimes(1);
    expect(await counted()).toEqual([[kind, failure, 1]]);
  });

  it("is not begun, nor begun again, when the attempt might be cut off", async () => {
    expect(await sendWithin(4.9, kind)).toBe("unreachable");
    expect(send).not.toHaveBeenCalled();
    send.mockRejectedValue(failing("unreachable"));
    expect(await sendWithin(5.1, kind)).toBe("unreachable");
    expect(send).toHaveBeenCalledTimes(1);
  });

  it("passes on a defect of ours", async () => {
    send.mockRejectedValue(new TypeError("a defect"));
    expect(await sendWithin(12, kind)).toBeInstanceOf(TypeError);
    expect(await counted()).toEqual([[kind, "error", 1]]);
  });
});

it("waits for a provider that asks for a pause as long as a simple e-mail has time; a campaign's job goes back to its queue", async () => {
  send.mockRejectedValue(failing("throttled"));
  expect(await sendWithin(12, "campaign")).toBe("throttled");
  expect(send).toHaveBeenCalledTimes(3);
  send.mockClear();
  expect(await sendWithin(12, "simple")).toBe("throttled");
  expect(send.mock.calls.length).toBeGreaterThan(4);
});
