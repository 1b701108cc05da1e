import { flag, httpUrl, type Source, text } from "./parse.server";

export const queueVariables = {
  QUEUE_VERIFY: flag,
  QUEUE_CURRENT_SIGNING_KEY: text.optional().describe("the key that the queue signs with"),
  QUEUE_NEXT_SIGNING_KEY: text
    .optional()
    .describe("the key that the queue will sign with after the next change"),
  QUEUE_URL: httpUrl.default("https://qstash.upstash.io").describe("the http(s) URL of the queue"),
  QUEUE_TOKEN: text.describe("the token that may publish to the queue"),
};

/** Signatures cannot be checked without keys. */
export function issuesOfQueueKeys(values: Source): string[] {
  if (values.QUEUE_VERIFY !== "true") return [];
  return ["QUEUE_CURRENT_SIGNING_KEY", "QUEUE_NEXT_SIGNING_KEY"]
    .filter((name) => values[name] === undefined)
    .map((name) => `${name} is not set; with QUEUE_VERIFY=true it must be`);
}
