import { z } from "zod";
import { shortText } from "../shared/short-text";

/**
 * Who is visiting, in the integrator's own words. Nothing is decided by it. It is used to revoke tokens, and is stored with events.
 * It appears in no log and no metric. docs/contract.md#visitors
 */
export const visitorSchema = z
  .strictObject({
    id: shortText(128).describe(
      "the integrator's own id of the person; not an e-mail address, if there is a choice",
    ),
    name: shortText(120).optional(),
  })
  .meta({ id: "Visitor" });

export type Visitor = z.infer<typeof visitorSchema>;
