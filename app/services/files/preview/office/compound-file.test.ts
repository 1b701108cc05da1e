import { expect, test } from "vitest";
import { compoundFile } from "../../../../../tests/support/files/compound-file";
import { refusalOfCompoundFile } from "./compound-file";

test.each([
  [["\u0006DataSpaces", "EncryptionInfo", "EncryptedPackage"], "protected"],
  [["Workbook", "\u0005SummaryInformation"], { olderFormatOf: "Excel" }],
  [["1Table", "a", "b", "c", "WordDocument"], { olderFormatOf: "Word" }],
  [["PowerPoint Document"], { olderFormatOf: "PowerPoint" }],
  [["CONTENTS"], { olderFormatOf: "Microsoft Office" }],
])("a compound file with %j is told", (streams, refusal) => {
  expect(refusalOfCompoundFile(compoundFile(streams))).toEqual(refusal);
});

test("what its text mentions does not count", () => {
  expect(refusalOfCompoundFile(compoundFile(["WordDocument"], "EncryptedPackage Workbook"))).toEqual({
    olderFormatOf: "Word",
  });
});

test("a stream that is not in the first bytes is known by the name of the file", () => {
  expect(refusalOfCompoundFile(compoundFile([]), "letter.doc")).toEqual({ olderFormatOf: "Word" });
  expect(refusalOfCompoundFile(compoundFile(["Workbook"]), "letter.doc")).toEqual({ olderFormatOf: "Excel" });
});

test("other files are no compound files", () => {
  expect(refusalOfCompoundFile(new TextEncoder().encode("PK\u0003\u0004"))).toBeNull();
  expect(refusalOfCompoundFile(new Uint8Array())).toBeNull();
});
