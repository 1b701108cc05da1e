import { z } from "zod";

/**
 * A schema of texts with 1 to `max` characters (code points), without control characters and halves of surrogate pairs. `max()` counts UTF-16
 * units: it refuses very long texts before they are searched. So the length that JSON Schema describes is given separately.
 */
export function shortText(
  max: number,
  error = `must have 1 to ${max} characters, and no control characters`,
): z.ZodString {
  return z
    .string()
    .max(2 * max, { abort: true, error })
    .regex(new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${max}}$`, "u"), error)
    .meta({ minLength: 1, maxLength: max });
}
