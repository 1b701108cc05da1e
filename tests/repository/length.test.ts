import { expect, it } from "vitest";
import { listFiles, textOf } from "./files";

const MOST_LINES = 250;

it("a file of more than 250 lines says at its top why it is one file", () => {
  // The sentences of a language are data.
  const files = listFiles().filter((path) => !/^app\/locales\/[a-zA-Z-]+\.ts$/.test(path));
  const long = files.filter(
    (path) => /\.([cm]?[jt]sx?|css)$/.test(path) && textOf(path).split("\n").length - 1 > MOST_LINES,
  );
  const unexplained = long.filter((path) => !/^\/\*\*?[^/]*[Ii]n one file, because/.test(textOf(path)));
  expect(unexplained).toEqual([]);
});
