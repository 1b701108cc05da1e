import { z } from "zod";
import { wholeNumber } from "./parse.server";

const requestsAMinute = (fallback: number) => wholeNumber(0, 1_000_000_000, fallback);

export const limitVariables = {
  RATE_LIMIT_PER_KEY: requestsAMinute(6_000),
  RATE_LIMIT_PER_TOKEN: requestsAMinute(6_000),
  RATE_LIMIT_PER_ADDRESS: requestsAMinute(300),
  RATE_LIMIT_STORE: z.enum(["memory", "postgres"]).default("memory").describe("memory or postgres"),
};
