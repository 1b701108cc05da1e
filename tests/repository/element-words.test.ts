import { expect, it } from "vitest";
import { en } from "../../app/locales/en";
import { english } from "../../embed-element/src/words";

it("the element brings the English that its section of the sentences has", () => {
  expect(english).toEqual(en.element);
});
