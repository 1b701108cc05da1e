import { expect, test } from "vitest";
import { moduleLoader } from "./load-module";

/** Fails at first. The browser's own retry by another URL is in `tests/e2e/behaviour/explorer-loading.spec.ts`. */
function failingOnce(error: Error) {
  let calls = 0;
  const load = moduleLoader(async () => {
    calls += 1;
    if (calls === 1) throw error;
    return "module";
  });
  return { load, calls: () => calls };
}

test.each([
  [
    "webpack",
    Object.assign(new Error("Loading chunk 7 failed.\n(error: https://a.example/7.js)"), {
      name: "ChunkLoadError",
    }),
  ],
  ["a browser that names no URL", new TypeError("Importing a module script failed.")],
])("the chunk of a bundle is asked for again as the bundle does it: %s", async (_, error) => {
  const { load, calls } = failingOnce(error);
  await expect(load()).rejects.toBe(error);
  expect(await Promise.all([load(), load()])).toEqual(["module", "module"]);
  expect(calls()).toBe(2);
});
