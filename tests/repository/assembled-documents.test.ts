import { expect, it } from "vitest";
import { copied } from "../../app/commands/assemble";
import { documentsInMessages } from "../support/app/messages";
import { textOf } from "./files";

it("every document that a message or a copied file names is in the folder of `npm run assemble`", () => {
  const settings = textOf(".env.example").match(/\bdocs\/[\w./-]*\w/g) ?? [];
  const documents = [...documentsInMessages(), ...settings];
  expect(documents).toEqual(expect.arrayContaining(["docs/guide/bounces.md", "docs/reference/settings.md"]));
  const isCopied = (path: string) => copied.some((one) => path === one || path.startsWith(`${one}/`));
  expect(documents.filter((path) => !isCopied(path))).toEqual([]);
});
