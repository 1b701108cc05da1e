import { z } from "zod";

/** PostgreSQL cuts longer names without a word. */
const MAX_NAME_BYTES = 63;
/** The server's own, and Amazon's. Decisions, section 9. */
const reserved = new Set(["postgres", "template0", "template1", "rdsadmin"]);

/**
 * A database's name as a caller may write it, normalized: lowercase, spaces replaced by `_`. Specification, "Cluster
 * databases"; Decisions, section 9.
 */
export const databaseNameSchema = z
  .string()
  .min(1, "must not be empty")
  // Judged before it is made lowercase: the Kelvin sign becomes a plain k.
  .regex(/^[A-Za-z0-9_ ]*$/, "may hold letters a to z, digits, underscores and spaces only")
  .transform((name) => name.toLowerCase().replaceAll(" ", "_"))
  .refine((name) => name.length <= MAX_NAME_BYTES, `must be at most ${MAX_NAME_BYTES} characters long`)
  .refine((name) => !reserved.has(name), "is a name that the cluster keeps for itself");
