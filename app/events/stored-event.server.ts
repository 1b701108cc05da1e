import { z } from "zod";
import {
  databaseEventTypes,
  emailDataSchema,
  emailEventTypes,
  fileDataSchema,
  fileEventTypes,
  usageDataSchema,
  usageEventTypes,
} from "./event";

const common = {
  id: z.string().describe("UUID version 7"),
  occurredAt: z.string().describe("ISO 8601, UTC"),
  companyId: z.string().nullable().describe("null where no company is known"),
  clientId: z.string().nullable().describe("the embed client whose token or API key was used"),
  visitor: z
    .object({ id: z.string(), name: z.string().optional() })
    .nullable()
    .describe("`{ id, name? }` as in the token"),
  source: z.enum(["service", "store"]).describe("`store` if the bucket's own notification told us"),
};

/** Events by what they happen to. */
export const eventSchemas = {
  file: z
    .object({
      ...common,
      type: z.enum(fileEventTypes),
      subject: z.object({
        bucket: z.string(),
        key: z.string().describe("of a folder, it ends with a slash"),
      }),
      data: fileDataSchema,
    })
    .meta({ id: "FileEvent" }),
  email: z
    .object({
      ...common,
      type: z.enum(emailEventTypes),
      subject: z.object({
        campaignId: z.string().optional(),
        recipient: z.string().describe("in lower case; empty once it has been erased"),
      }),
      data: emailDataSchema,
    })
    .meta({ id: "EmailEvent" }),
  database: z
    .object({
      ...common,
      type: z.enum(databaseEventTypes),
      subject: z.object({ databaseId: z.string() }),
      data: z.looseObject({ name: z.string().optional(), region: z.string().optional() }),
    })
    .meta({ id: "DatabaseEvent" }),
  usage: z
    .object({
      ...common,
      type: z.enum(usageEventTypes),
      subject: z.object({
        bucket: z.string(),
        key: z
          .string()
          .describe("of the first folder: it ends with a slash, and is empty for the whole bucket"),
      }),
      data: usageDataSchema,
    })
    .meta({ id: "UsageEvent" }),
};

/** An event as callers and operators read it. docs/contract.md#events */
export const eventSchema = z
  .discriminatedUnion("type", [
    eventSchemas.file,
    eventSchemas.email,
    eventSchemas.database,
    eventSchemas.usage,
  ])
  .meta({ id: "Event" });

export type StoredEvent = z.infer<typeof eventSchema>;

/** A row of `events`, as it is selected. A later version may have written types of its own. */
export type EventRow = Pick<StoredEvent, "id" | "occurredAt" | "companyId" | "clientId"> & {
  [Column in "visitorId" | "visitorName" | "bucket" | "key" | "databaseId" | "campaignId" | "recipient"]:
    | string
    | null;
} & { type: string; data: object; source: string };

export function toEvent(row: EventRow): StoredEvent {
  const { id, type, occurredAt, companyId, clientId, visitorId, visitorName, data, source } = row;
  const visitor =
    visitorId === null ? null : { id: visitorId, ...(visitorName !== null && { name: visitorName }) };
  const event = { id, type, occurredAt, companyId, clientId, visitor, subject: subjectOf(row), data, source };
  // The columns of a row belong to its type.
  return event as StoredEvent;
}

function subjectOf({ bucket, key, databaseId, campaignId, recipient }: EventRow): StoredEvent["subject"] {
  if (bucket !== null && key !== null) return { bucket, key };
  if (databaseId !== null) return { databaseId };
  return { ...(campaignId !== null && { campaignId }), recipient: recipient ?? "" };
}
