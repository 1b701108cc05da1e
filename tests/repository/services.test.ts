import { expect, it } from "vitest";
import { services } from "../../app/services/registry.server";
import { listFiles } from "./files";

const pages = listFiles().flatMap((path) => /^app\/services\/([^/]+)\/page\.tsx$/.exec(path)?.[1] ?? []);
const enabled = Object.entries(services).flatMap(([key, service]) => (service ? [{ key, service }] : []));

it("every enabled service has a page in its folder, and every page has a service", () => {
  expect(pages.sort()).toEqual(enabled.map(({ key }) => key).sort());
});

it.each(enabled)("$key is listed by its own key", ({ key, service }) => {
  expect(service.key).toBe(key);
});
