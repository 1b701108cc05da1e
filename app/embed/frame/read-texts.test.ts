import { expect, it } from "vitest";
import { readTexts } from "./read-texts";

it("leaves out what is empty or missing", () => {
  expect(readTexts({})).toEqual({});
  expect(readTexts({ handInTitle: null, handInText: " \n " })).toEqual({});
});

it("keeps line breaks, and cuts what is too long between characters", () => {
  const { handInTitle, handInText } = readTexts({
    handInTitle: "😀".repeat(200),
    handInText: " Your CV.\nThanks. ",
  });
  expect(handInTitle).toBe("😀".repeat(120));
  expect(handInText).toBe("Your CV.\nThanks.");
  expect(readTexts({ handInText: "x".repeat(601) }).handInText).toHaveLength(600);
});
