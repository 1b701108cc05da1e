import { expect, test } from "vitest";
import { EmbedError } from "./embed-error.js";

test("a token that is not valid is named, with what to do", () => {
  expect(new EmbedError("invalid_token", false).message).toBe(
    "The token is invalid. Use the embed URL as it was issued.",
  );
});

test("a code of the platform that the element does not know is a refusal, with the platform's own words", () => {
  expect(new EmbedError("new_code", false, "Ask again.").message).toBe(
    "The platform refused the request. Ask again.",
  );
});
