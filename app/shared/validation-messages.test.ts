import { describe, expect, it } from "vitest";
import { z } from "zod";
import { validationMessages } from "./validation-messages";

const messageFor = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value, { error: validationMessages }).error?.issues[0]?.message;

describe("the message of an issue", () => {
  it.each([
    [undefined, "is required", z.string()],
    [1, "must be a string, not a number", z.string()],
    [null, "must be a string, not null", z.string()],
    ["a", "must be a list, not a string", z.array(z.string())],
    [[], "must be an object, not a list", z.object({})],
    [true, "must be an object, not true", z.record(z.string(), z.string())],
    ["true", "must be true or false, not a string", z.boolean()],
    [1.5, "must be a whole number, not a fraction", z.int()],
    ["x".repeat(201), "must have at most 200 characters", z.string().max(200)],
    ["", "must not be empty", z.string().min(1)],
    ["a", "must have at least 2 characters", z.string().min(2)],
    [["a", "b"], "must have at most 1 item", z.array(z.string()).max(1)],
    [-1, "must be at least 0", z.number().min(0)],
    [5, "must be less than 5", z.number().lt(5)],
    ["file", 'must be "files"', z.literal("files")],
    ["c", 'must be one of "a", "b"', z.enum(["a", "b"])],
    ["x", "must be a URL", z.url()],
    ["b", "has a wrong format", z.string().regex(/^a$/)],
    [true, "has none of the allowed forms", z.union([z.string(), z.number()])],
    [1, "must be a name", z.string("must be a name")],
  ])("%# of %j is: %s", (value, message, schema) => {
    expect(messageFor(schema, value)).toBe(message);
  });
});
