import { causeOf, codeOf } from "../error-text";
import type { CheckGroup, DoctorContext } from "./context";
import { attempt, ok, type Verdict, warning, wrong } from "./finding";

const KEYS = "queue.keys";
const PUBLISHING = "queue.publishing";
const DEFAULT_URL = "https://qstash.upstash.io";

/** The signing keys of campaign deliveries, and the token that publishes them. */
export const checkQueue: CheckGroup = async (context) => {
  const { source, limits } = context;
  const keys = { ...judgeKeys(context), check: KEYS };
  const token = source.QUEUE_TOKEN?.trim();
  if (!token) {
    return [
      keys,
      { ...ok("QUEUE_TOKEN is not set: no campaigns are published from here."), check: PUBLISHING },
    ];
  }
  const url = source.QUEUE_URL?.trim() || DEFAULT_URL;
  const asked = await attempt(
    PUBLISHING,
    limits,
    (signal) => askQueue(context, { url, token, signal }),
    (error) => {
      const code = codeOf(causeOf(error)) || "no response in time";
      return wrong(
        `The queue cannot be reached (${code}).`,
        "Check QUEUE_URL (unset means QStash), DNS and the firewall.",
      );
    },
  );
  return [keys, ...asked];
};

function judgeKeys({ env }: DoctorContext): Verdict {
  if (env.queueSigningKeys === undefined) {
    return warning(
      "QUEUE_VERIFY is not true: anybody can make this service send campaign e-mails.",
      "Set QUEUE_VERIFY=true, and QUEUE_CURRENT_SIGNING_KEY and QUEUE_NEXT_SIGNING_KEY to the queue's keys.",
    );
  }
  const [current, next] = env.queueSigningKeys;
  if (current === next) {
    return wrong(
      "The queue's two signing keys are equal, so the next change of keys would refuse every delivery.",
      "Set QUEUE_NEXT_SIGNING_KEY to the queue's next key, which is another than QUEUE_CURRENT_SIGNING_KEY.",
    );
  }
  return ok("Signatures are checked, with two different keys.");
}

/** `GET /v2/keys` changes nothing, takes the token, and tells which keys the queue signs with. QStash API, "Get signing keys". */
async function askQueue(
  { env }: DoctorContext,
  { url, token, signal }: { url: string; token: string; signal: AbortSignal },
): Promise<Verdict | Verdict[]> {
  const response = await fetch(`${url.replace(/\/+$/, "")}/v2/keys`, {
    headers: { Authorization: `Bearer ${token}` },
    redirect: "manual",
    signal,
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.status === 401 || response.status === 403) {
    return wrong(
      `The queue does not accept the token (status ${response.status}).`,
      "Set QUEUE_TOKEN to the queue's token; QUEUE_URL has to be of the same region.",
    );
  }
  const theirs = typeof body === "object" && body !== null && "current" in body ? body.current : undefined;
  if (!response.ok || typeof theirs !== "string") {
    return warning(
      `Whether QUEUE_TOKEN is accepted cannot be asked here: the queue is not QStash (status ${response.status}).`,
      "Publish one job to yourself: npm run campaign -- publish FILE.",
    );
  }
  const accepted = ok("The queue answers and accepts QUEUE_TOKEN.");
  if (env.queueSigningKeys === undefined || env.queueSigningKeys.includes(theirs)) return accepted;
  const unknownKey = wrong(
    "The queue signs with a key that is not configured, so every delivery is refused.",
    "Set QUEUE_CURRENT_SIGNING_KEY and QUEUE_NEXT_SIGNING_KEY to the keys that the queue shows.",
  );
  return [accepted, { ...unknownKey, check: KEYS }];
}
