import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { leastPolicy, rightsOfCommands, sessionPolicy } from "./least-rights";

/** The text of all code of the app, without tests and the table itself. */
const sources = readdirSync("app", { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|least-rights/.test(file))
  .map((file) => readFileSync(join("app", file), "utf8"));

const granted = () => {
  const { Statement } = leastPolicy({
    bucket: ["b"],
    objects: ["b/*"],
    identity: ["i"],
    configurationSet: ["c"],
    cluster: ["r"],
    secret: ["s"],
  });
  return Statement.flatMap(({ Action }) => Action);
};

it("the policy is made of the commands that the code sends, and of no others", () => {
  const sent = sources.flatMap((source) =>
    [...source.matchAll(/\bnew (\w+Command)\(/g)].map(([, name]) => name),
  );
  expect(Object.keys(rightsOfCommands).sort()).toEqual([...new Set(sent)].sort());
});

it("the policy grants every permission that the code names for an error", () => {
  const named = sources.flatMap(
    (source) => source.match(/\b(?:s3|ses|rds-data|secretsmanager):[A-Z]\w+\b(?![:*(])/g) ?? [],
  );
  expect(named.length).toBeGreaterThan(20);
  expect(granted()).toEqual(expect.arrayContaining([...new Set(named)]));
});

it("the policy grants nothing on kinds of resources that a deployment does not have", () => {
  const none = { bucket: [], objects: [], identity: [], configurationSet: [], cluster: [], secret: [] };
  expect(leastPolicy(none).Statement.flatMap(({ Action }) => Action)).toEqual([
    "cloudwatch:GetMetricData",
    "ses:GetAccount",
  ]);
  const { Statement } = leastPolicy({ ...none, bucket: ["arn:aws:s3:::b"] });
  for (const { Action, Resource } of Statement)
    if (Action.some((action) => action.startsWith("s3:"))) expect(Resource).toEqual(["arn:aws:s3:::b"]);
});

it("the policy has no wildcard in an action, and a session may do all that the policy grants", () => {
  const session = JSON.parse(sessionPolicy()).Statement[0].Action;
  expect(session).toEqual([...new Set(granted())].sort());
  expect(session.filter((action: string) => action.includes("*"))).toEqual([]);
  // The limit of STS.
  expect(sessionPolicy().length).toBeLessThanOrEqual(2_048);
});
