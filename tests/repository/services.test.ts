import { expect, it } from "vitest";
import * as enabled from "../../app/services/enabled.server";
import { listFiles } from "./files";

const pages = listFiles().flatMap((path) => /^app\/services\/([^/]+)\/page\.tsx$/.exec(path)?.[1] ?? []);

it("every enabled service has a page in its folder, and every page has a service", () => {
  expect(pages.sort()).toEqual(Object.keys(enabled).sort());
});

it.each(Object.entries(enabled))("%s is enabled by its own key", (name, service) => {
  expect(service.key).toBe(name);
});
