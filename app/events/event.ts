import { z } from "zod";
import type { Visitor } from "../embed/visitor";
import type { RequestContext } from "../shared/request-context.server";

export const fileEventTypes = [
  "file.uploaded",
  "file.download_signed",
  "file.copied",
  "file.moved",
  "file.deleted",
  "file.restored",
  "file.purged",
  "folder.created",
] as const;

export const emailEventTypes = [
  "email.sent",
  "email.delivered",
  "email.bounced",
  "email.complained",
  "email.opened",
  "email.clicked",
  "email.unsubscribed",
] as const;

export const databaseEventTypes = ["database.created", "database.deleted", "database.restored"] as const;

export const usageEventTypes = ["usage.threshold"] as const;

/** All types. docs/contract.md#events */
export const eventTypes = [
  ...fileEventTypes,
  ...emailEventTypes,
  ...databaseEventTypes,
  ...usageEventTypes,
] as const;

export type FileEventType = (typeof fileEventTypes)[number];
export type EmailEventType = (typeof emailEventTypes)[number];
export type EventType = (typeof eventTypes)[number];

const fileData = {
  size: z.number().describe("bytes").optional(),
  etag: z.string().describe("as the store writes it, with its quotes").optional(),
  checksum: z.string().describe("of the object: algorithm and value, as the store says them").optional(),
  contentType: z.string().optional(),
  version: z
    .string()
    .describe(
      "the id of the version or delete marker that was created; for file.purged, of the version that was deleted",
    )
    .optional(),
  fromVersion: z
    .string()
    .describe("of file.restored: the older version that was copied to make it the newest again")
    .optional(),
  restoredVersion: z
    .string()
    .describe(
      "of file.moved: the version that was there before an earlier move, and was brought back; no version was created",
    )
    .optional(),
  from: z.string().describe("the key of the source, in the same bucket").optional(),
  assumed: z
    .literal(true)
    .describe(
      "of file.moved: the server was interrupted, and all that the store shows is that the source is gone",
    )
    .optional(),
  disposition: z.enum(["attachment", "inline"]).optional(),
  purpose: z.literal("thumbnail").describe("what the caller said that the URL is for").optional(),
};

const emailData = {
  messageId: z.string().describe("the mail provider's id of the message").optional(),
  bounceType: z.enum(["permanent", "transient", "undetermined"]).optional(),
  site: z.string().describe("the site whose campaigns the recipient no longer gets").optional(),
};

const usageData = {
  percent: z.number().describe("of the quota: 80, 95 or 100"),
  usedBytes: z.number().describe("what is there, and what was signed and may still arrive"),
  maxBytes: z.number().describe("the quota"),
  paths: z.array(z.string()).describe("the folders that the quota counts together"),
  buckets: z
    .array(z.string())
    .describe("the buckets in which it counts them; without it, the subject's")
    .optional(),
};

/** Further members of events, as they are read: later versions may write more of them. */
export const fileDataSchema = z.looseObject(fileData).describe("what else is known, by type");
export const emailDataSchema = z.looseObject(emailData).describe("what else is known, by type");

export const usageDataSchema = z.looseObject(usageData);

/** Further members of a file's event, by type. docs/contract.md#events */
export type EventData = z.infer<z.ZodObject<typeof fileData>>;
/** Further members of an e-mail's event. `site` is as `siteOf` returns it. */
export type EmailData = z.infer<z.ZodObject<typeof emailData>>;

/** On whose behalf something is done. */
export interface Author {
  companyId: string;
  clientId: string;
  visitorId: string | undefined;
  visitorName: string | undefined;
  requestId: string;
}

interface FileChange {
  type: FileEventType;
  bucket: string;
  /** of a folder, it ends with a slash */
  key: string;
  data: EventData;
}

/** What somebody does to a file or folder. */
export type FileEvent = Author & FileChange;

/** What has happened to an e-mail. */
interface EmailEvent {
  type: EmailEventType;
  campaignId: string | null;
  /** the address in lower case. It appears in no log and no metric. */
  recipient: string;
  data: EmailData;
}

/** Folders with a quota have become fuller. */
interface UsageEvent {
  type: (typeof usageEventTypes)[number];
  bucket: string;
  /** the first of the folders; it ends with a slash, and is empty for the whole bucket */
  key: string;
  data: z.infer<z.ZodObject<typeof usageData>>;
}

/** What has happened. Without an author if the pending row has it, or if nobody is known. */
export type NewEvent = (FileChange | EmailEvent | UsageEvent) &
  Partial<Omit<Author, "companyId">> & { companyId: string | null };

/** The author of what is done with an embed token. */
export function authorOf(
  { companyId, clientId, visitor }: { companyId: string; clientId: string; visitor: Visitor | undefined },
  { requestId }: Pick<RequestContext, "requestId">,
): Author {
  return { companyId, clientId, visitorId: visitor?.id, visitorName: visitor?.name, requestId };
}
