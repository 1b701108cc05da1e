import type { z } from "zod";

/** For `safeParse`: of what is not there, zod says what type it should have had. */
export const sayMissing: z.core.$ZodErrorMap = ({ input }) =>
  input === undefined ? "is required" : undefined;
