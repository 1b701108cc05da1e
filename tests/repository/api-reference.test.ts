import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { describeApiWithExamples, examplesFolder } from "../../docs/api-description";
import { apiReference } from "../../docs/api-reference";

test("the API reference describes endpoints that respond with JSON and with a file", () => {
  const sections = new Map(
    apiReference()
      .split("\n### ")
      .map((section) => [section.slice(0, section.indexOf("\n")), section]),
  );
  const section = (title: string) => sections.get(`\`${title}\``) ?? "";

  expect(section("POST /api/embed/url")).toContain("| `expiresInSeconds` | integer |");
  expect(section("POST /api/embed/activity/export")).toContain("**200: `text/csv`**");
  expect(section("GET /api/events")).toContain("`application/x-ndjson`");
});

test("every operation has an example, and every example is of an operation", () => {
  const operations = Object.values(describeApiWithExamples().paths).flatMap(({ servers: _, ...methods }) =>
    Object.values(methods).map((operation) => (operation as { operationId: string }).operationId),
  );
  expect(readdirSync(examplesFolder).sort()).toEqual(operations.map((name) => `${name}.json`).sort());
  expect(apiReference().match(/^\*\*Example\*\*$/gm)).toHaveLength(operations.length);
});
