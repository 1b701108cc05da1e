import { expect, test } from "vitest";
import { messagesFor } from "./messages";

test("a language is known by its tag, whatever the region or case; others get English", () => {
  expect(messagesFor("fr-CA").upload).toBe("Envoyer");
  expect(messagesFor("FR").upload).toBe("Envoyer");
  for (const tag of ["en-GB", "tlh", "", "frr", "constructor"])
    expect(messagesFor(tag).upload).toBe("Upload");
});

test("counts agree with their nouns in both languages", () => {
  const french = messagesFor("fr");
  expect([0, 1, 2].map((count) => french.items(count, String(count)))).toEqual([
    "0 élément",
    "1 élément",
    "2 éléments",
  ]);
  const english = messagesFor("en");
  expect([0, 1, 2].map((count) => english.items(count, String(count)))).toEqual([
    "0 items",
    "1 item",
    "2 items",
  ]);
});
