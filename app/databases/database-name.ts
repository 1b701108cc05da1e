import { z } from "zod";

/** PostgreSQL cuts longer names without a word. */
const MAX_NAME_BYTES = 63;
/** The server's own, and Amazon's. */
const reserved = new Set(["postgres", "template0", "template1", "rdsadmin"]);

/** A database's name as a caller may write it, normalized: lowercase, spaces replaced by `_`. docs/contract.md#databases */
export const databaseNameSchema = z
  .string()
  .min(1, "must not be empty")
  // Before all else, and what is allowed is as long when it is normalized.
  .max(MAX_NAME_BYTES, { abort: true, error: `must be at most ${MAX_NAME_BYTES} characters long` })
  // Judged before it is made lowercase: the Kelvin sign becomes a plain k.
  .regex(/^[A-Za-z0-9_ ]*$/, "may hold letters a to z, digits, underscores and spaces only")
  .transform((name) => name.toLowerCase().replaceAll(" ", "_"))
  .refine((name) => !reserved.has(name), "is a name that the cluster keeps for itself");
