import { expect, test } from "vitest";
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
