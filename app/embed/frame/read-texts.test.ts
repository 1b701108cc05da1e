import { expect, it } from "vitest";
import { readTexts } from "./read-texts";

it("leaves out what is empty or missing", () => {
  expect(readTexts({})).toEqual({});
  expect(readTexts({ dropTitle: null, dropText: " \n " })).toEqual({});
});

it("keeps line breaks, and cuts what is too long between characters", () => {
  const { dropTitle, dropText } = readTexts({ dropTitle: "😀".repeat(200), dropText: " Your CV.\nThanks. " });
  expect(dropTitle).toBe("😀".repeat(120));
  expect(dropText).toBe("Your CV.\nThanks.");
  expect(readTexts({ dropText: "x".repeat(601) }).dropText).toHaveLength(600);
});
