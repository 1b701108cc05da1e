import { z } from "zod";

/** A number of the schema `field`; a larger one than `max` counts as `max`, however large it is. */
export const clamped = <Field extends z.ZodType<number>>(max: number, field: Field) =>
  z.preprocess((value) => (typeof value === "number" && value > max ? max : value), field);
