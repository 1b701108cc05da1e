import { z } from "zod";
import { tokenSchema } from "./storage-contract.server";

export const takeBackSchema = z.strictObject({
  token: tokenSchema,
  takeBack: z.string().min(1).max(8_192).describe("as uploaded or multipart/complete returned it"),
});
export const takenBackSchema = z.object({
  removed: z.boolean().describe("false if the file is no longer there, or is another one now"),
});

export type TakeBackRequest = z.infer<typeof takeBackSchema>;
export type TakenBack = z.infer<typeof takenBackSchema>;
