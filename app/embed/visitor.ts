import { z } from "zod";

const INVALID_NAME = "must have 1 to 120 characters, and no control characters";
const INVALID_ID = "must have 1 to 128 characters, and no control characters";

/**
 * Who is visiting, in the integrator's own words. Nothing is decided by it. It is used to revoke tokens, and is stored with events.
 * It appears in no log and no metric. docs/contract.md#visitors
 */
export const visitorSchema = z
  .strictObject({
    id: z
      .string()
      .max(256, { abort: true, error: INVALID_ID })
      .regex(/^[^\p{Cc}\p{Cs}]{1,128}$/u, INVALID_ID)
      .describe("the integrator's own id of the person; not an e-mail address, if there is a choice"),
    name: z
      .string()
      .max(240, { abort: true, error: INVALID_NAME })
      .regex(/^[^\p{Cc}\p{Cs}]{1,120}$/u, INVALID_NAME)
      .optional(),
  })
  .meta({ id: "Visitor" });

export type Visitor = z.infer<typeof visitorSchema>;
