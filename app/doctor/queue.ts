import { ok, runCheck, toFindings, type Verdict, warning, wrong } from "../../embed-element/doctor/report";
import { causeOf, codeOf } from "../shared/error-text";
import type { CheckGroup, DoctorContext } from "./context";

const DEFAULT_URL = "https://qstash.upstash.io";

/** The signing keys of campaign deliveries, and the token that publishes them. */
export const checkQueue: CheckGroup = async (context) => {
  const { variables, limits } = context;
  const keys = toFindings("queue.keys", judgeKeys(context));
  const token = variables.QUEUE_TOKEN?.trim();
  if (!token)
    return [
      ...keys,
      ...toFindings("queue.publishing", ok("QUEUE_TOKEN is not set: no campaigns are published from here.")),
    ];
  const url = variables.QUEUE_URL?.trim() || DEFAULT_URL;
  const publishing = await runCheck(
    {
      name: "queue.publishing",
      run: (signal) => askQueue(context, { url, token, signal }),
      explain: (error) =>
        wrong(
          `The queue cannot be reached (${codeOf(causeOf(error)) || "no response in time"}).`,
          "Check QUEUE_URL (unset means QStash), DNS and the firewall.",
        ),
    },
    limits,
  );
  return [...keys, ...publishing];
};

function judgeKeys({ env }: DoctorContext): Verdict {
  if (env.queueSigningKeys === undefined) {
    return warning(
      "QUEUE_VERIFY is not true: unless something in front of POST /api/queue/send-email guards it, anybody can make this service send campaign e-mails.",
      "Set QUEUE_VERIFY=true, and QUEUE_CURRENT_SIGNING_KEY and QUEUE_NEXT_SIGNING_KEY to the queue's keys.",
    );
  }
  const [current, next] = env.queueSigningKeys;
  if (current === next) {
    return wrong(
      "The queue's two signing keys are equal, so every delivery is refused once the queue changes its key.",
      "Set QUEUE_NEXT_SIGNING_KEY to the queue's next key, which differs from QUEUE_CURRENT_SIGNING_KEY.",
    );
  }
  return ok("Signatures are checked, with two different keys.");
}

/** `GET /v2/keys` changes nothing, requires the token, and returns the keys that the queue signs with. QStash API, "Get signing keys". */
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
      "Set QUEUE_TOKEN to the queue's token; QUEUE_URL must be of the same region.",
    );
  }
  const signingKey =
    typeof body === "object" && body !== null && "current" in body ? body.current : undefined;
  if (!response.ok || typeof signingKey !== "string") {
    return warning(
      `QUEUE_TOKEN cannot be checked: the queue is not QStash (status ${response.status}).`,
      "Publish one job to yourself: npm run campaign -- publish FILE.",
    );
  }
  const accepted = ok("The queue answers and accepts QUEUE_TOKEN.");
  if (env.queueSigningKeys === undefined || env.queueSigningKeys.includes(signingKey)) return accepted;
  const unknownKey = wrong(
    "The queue signs with a key that is not configured, so every delivery is refused.",
    "Set QUEUE_CURRENT_SIGNING_KEY and QUEUE_NEXT_SIGNING_KEY to the keys that the queue shows.",
  );
  return [accepted, { ...unknownKey, check: "queue.keys" }];
}
