import { expect, it } from "vitest";
import en from "../../app/locales/en.json";
import { english, englishChooser } from "../../embed-element/src/messages";

it("the element's English sentences are those of app/locales/en.json", () => {
  expect({ ...english, ...englishChooser }).toEqual(en.element);
});
