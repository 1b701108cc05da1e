import { z } from "zod";

/** PostgreSQL truncates longer names without an error. */
const MAX_NAME_BYTES = 63;
/** Databases of PostgreSQL itself, and of Amazon RDS. */
const reserved = new Set(["postgres", "template0", "template1", "rdsadmin"]);

/** A database's name as a caller may write it. It is normalized: lowercase, with `_` for spaces. docs/contract.md#databases */
export const databaseNameSchema = z
  .string()
  .min(1, "must not be empty")
  // Checked first, because the other checks read the whole text. A valid name has as many bytes as characters.
  .max(MAX_NAME_BYTES, { abort: true, error: `must be at most ${MAX_NAME_BYTES} characters long` })
  // Checked before it is made lowercase, which would turn the Kelvin sign into a plain k.
  .regex(/^[A-Za-z0-9_ ]*$/, "may hold letters a to z, digits, underscores and spaces only")
  .regex(/[A-Za-z0-9]/, "must contain a letter or a digit")
  .transform((name) => name.toLowerCase().replaceAll(" ", "_"))
  .refine((name) => !reserved.has(name), "is a name that the cluster keeps for itself");
