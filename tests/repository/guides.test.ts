import { expect, it } from "vitest";
import { listFiles, textOf } from "./files";

const guides = listFiles().flatMap((path) => /^docs\/(guide\/.+)\.md$/.exec(path)?.[1] ?? []);

it("every guide is in the sidebar of the site", () => {
  const config = textOf("docs/.vitepress/config.ts");
  expect(guides.length).toBeGreaterThan(30);
  expect(guides.filter((guide) => !config.includes(`link: "/${guide}"`))).toEqual([]);
});

it("every guide is on the page of how-to guides, unless it is of another kind", () => {
  const others = ["guide/getting-started", "guide/concepts", "guide/security"];
  const page = textOf("docs/how-to.md");
  const missing = guides.filter((guide) => !page.includes(`(${guide}.md)`));
  expect(missing.sort()).toEqual(others.sort());
});
