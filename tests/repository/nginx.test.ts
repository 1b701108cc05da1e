/// <reference types="vite/client" />
/** Compares the locations of docs/examples/nginx.conf with the endpoints that requests to them reach. */
import { expect, it } from "vitest";
import { BUDGET_GRACE_MS, contracts } from "../../app/http/api-route.server";
import { textOf } from "./files";

const example = textOf("docs/examples/nginx.conf");
// Each route declares its endpoints when it is imported.
import.meta.glob("../../app/routes/*.ts", { eager: true });

interface Location {
  pattern: RegExp;
  settings: string;
}
/** The locations with a regular expression, in the order of the file: nginx takes the first that matches, not the longest. */
const locations: Location[] = [...example.matchAll(/location ~ (\S+) \{([^}]*)\}/g)].map(
  ([, pattern = "", settings = ""]) => ({ pattern: new RegExp(pattern), settings }),
);
const beforeLocations = example.slice(0, example.indexOf("location "));

const endpoints = contracts.flatMap(({ route, methods }) =>
  Object.entries(methods).map(([method, endpoint]) => {
    const path = route.replace(/:\w+/g, "some-id");
    const location = locations.find(({ pattern }) => pattern.test(path));
    return { method, ...endpoint, location };
  }),
);

const secondsIn = (text: string) => Number(/proxy_read_timeout (\d+)s;/.exec(text)?.[1]);

it("waits for each endpoint longer than its requests may take", () => {
  const cutOff = endpoints.filter(({ location, budgetMs }) => {
    const seconds = secondsIn(location?.settings ?? "") || secondsIn(beforeLocations);
    return seconds * 1_000 <= budgetMs + BUDGET_GRACE_MS;
  });
  expect(cutOff.map(({ operationId }) => operationId)).toEqual([]);
});

it("repeats only changes that do no harm when they are sent twice", () => {
  const repeated = endpoints.filter(
    ({ method, location }) => /POST|PATCH/.test(method) && location?.settings.includes("non_idempotent"),
  );
  // The explorer itself repeats all of its requests.
  const others = repeated.filter(({ auth }) => auth?.audience !== "frame");
  expect(others.map(({ operationId }) => operationId).sort()).toEqual([
    "createDatabase",
    "deliverCampaignEmail",
    "issueEmbedUrl",
    "restoreDatabase",
  ]);
});
