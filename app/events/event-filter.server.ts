import { z } from "zod";
import { companyIdSchema } from "../embed/company.server";
import { visitorSchema } from "../embed/visitor";
import { type EventType, eventTypes } from "./event";
import type { EventReach } from "./event-reach.server";

/** milliseconds; times before it are written with four digits for the year */
const YEAR_10_000 = Date.UTC(10_000, 0);

/** ISO 8601 with a time zone, as UTC. */
export const timeSchema = z.iso
  .datetime({ offset: true, abort: true })
  .refine(
    (text) => Date.parse(text) >= 0 && Date.parse(text) < YEAR_10_000,
    "must be in the years 1970 to 9999",
  )
  .transform((text) => new Date(text).toISOString());

/** PostgreSQL takes no NUL, not even to compare with. */
const textSchema = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[^\0]*$/, "must not contain a null character");

const typesSchema = z.string().transform((text, context): EventType[] => {
  const names = text.split(",");
  const unknown = names.find((name) => !eventTypes.some((type) => isNamed(type, name)));
  if (unknown !== undefined) {
    context.addIssue({
      code: "custom",
      message: `must be types of events, separated by commas: ${eventTypes.join(", ")}, or a family like file.*`,
    });
    return z.NEVER;
  }
  return eventTypes.filter((type) => names.some((name) => isNamed(type, name)));
});

/** @param name a type, or a family such as `file.*` */
function isNamed(type: EventType, name: string): boolean {
  return name === type || (name.endsWith(".*") && type.startsWith(name.slice(0, -1)));
}

/** Which events are wanted: those that match every member. */
export const eventFilterSchema = z.strictObject({
  companyId: companyIdSchema
    .describe("with an API key only its own company; with the bearer token any, or all without it")
    .optional(),
  type: typesSchema
    .describe("one type, several separated by commas, or a family such as `file.*`")
    .optional(),
  visitor: visitorSchema.shape.id.describe("a visitor's id").optional(),
  bucket: textSchema(255).optional(),
  prefix: textSchema(1_024).describe("what the key begins with").optional(),
  key: textSchema(1_024).describe("the whole key").optional(),
  after: timeSchema.describe("events of this time or later; ISO 8601").optional(),
  before: timeSchema.describe("events earlier than this time; ISO 8601").optional(),
});

export type EventFilter = z.output<typeof eventFilterSchema> & {
  /** what the caller may read; everything without it */
  reach?: EventReach | undefined;
};

/** The event after which a page begins, in the order of `findEvents`. */
export interface EventPosition {
  /** ISO 8601 */
  occurredAt: string;
  id: string;
}
