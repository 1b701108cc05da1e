import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { listFiles } from "./files";

/** What newer versions of Node have, and the first that has it. From Node's changelogs and MDN's compatibility data. */
const since: Record<string, RegExp> = {
  "18.17.0": /\bURL\.canParse\b/,
  "20.0.0": /\bnew File\(|\binstanceof File\b|\bcrypto\.subtle\b|\.(toSorted|toReversed|toSpliced)\(/,
  "20.3.0": /\bAbortSignal\.any\b/,
  "20.11.0": /\bimport\.meta\.(dirname|filename)\b/,
  "21.0.0": /\b(Object|Map)\.groupBy\b/,
  "22.0.0":
    /\b(Promise\.withResolvers|Array\.fromAsync)\b|\.(isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference)\(/,
};

test("the published package asks for the first version of Node that has all that it uses", () => {
  const files = listFiles().filter((file) =>
    /^embed-element\/(client|shared|src|doctor)\/.*(?<!\.test)\.ts$/.test(file),
  );
  expect(files.length).toBeGreaterThan(50);
  const code = files.map((file) => readFileSync(file, "utf8")).join("\n");
  const needed = Object.entries(since).filter(([, use]) => use.test(code));
  const { engines } = JSON.parse(readFileSync("embed-element/package.json", "utf8"));
  expect(engines.node).toBe(`>=${needed.at(-1)?.[0]}`);
});
