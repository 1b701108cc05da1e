import { z } from "zod";

/** How variables are written, and how they are read: the part that knows of no variable. */

export type Source = Record<string, string | undefined>;

export const flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((value) => value === "true")
  .describe("true or false");
export const text = z.string().trim().min(1);
/** Several values, separated by commas. */
export const list = text.transform((values) => values.split(",").map((value) => value.trim()));
export const httpUrl = z.url({ protocol: /^https?$/ });

/** What an Authorization header can carry: RFC 6750, section 2.1. */
export const BEARER_TOKEN = /^[\w.~+/-]+=*$/;

/** A whole number; `fallback` when it is not set. */
export const wholeNumber = (from: number, to: number, fallback: number) =>
  z.coerce
    .number()
    .int()
    .min(from)
    .max(to)
    .default(fallback)
    .describe(`a whole number from ${from} to ${to}`);

/** Thrown for an environment that cannot be used; the message lists every issue, a line each, and names no value. */
export class EnvError extends Error {
  override readonly name = "EnvError";

  /** @param issues a sentence each, which begins with the name of the variable */
  constructor(readonly issues: readonly string[]) {
    const lines = issues.map((issue) => `  ${issue}`).join("\n");
    super(`The environment is invalid:\n${lines}\nSee docs/reference/settings.md.`);
  }
}

/** Blanks count as unset: that is how most deployment tools leave a variable empty. */
export function withoutBlanks(source: Source): Source {
  return Object.fromEntries(Object.entries(source).filter(([, value]) => value?.trim()));
}

/**
 * The values of `variables`, whose descriptions end the sentence "it must be …".
 * @param found issues that were found before, which are thrown together with those found here
 * @throws EnvError
 */
export function parseVariables<Shape extends Record<string, z.ZodType>>(
  variables: z.ZodObject<Shape>,
  values: Source,
  found: readonly string[] = [],
): z.output<z.ZodObject<Shape>> {
  const parsed = variables.safeParse(values);
  const issues = new Set(found);
  for (const { path } of parsed.error?.issues ?? []) {
    const name = String(path[0]);
    const state = values[name] === undefined ? "is not set" : "is invalid";
    issues.add(`${name} ${state}; it must be ${variables.shape[name]?.description}`);
  }
  if (issues.size > 0 || !parsed.success) throw new EnvError([...issues]);
  return parsed.data;
}
