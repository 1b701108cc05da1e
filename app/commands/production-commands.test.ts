import { expect, it } from "vitest";
import { scripts } from "../../package.json" with { type: "json" };
import { productionCommands } from "./production-commands";

it("finds the commands of an operator in package.json", () => {
  const commands = productionCommands(scripts);
  expect(commands.map(({ script }) => script)).toEqual([
    "migrate",
    "client",
    "databases",
    "campaign",
    "doctor",
    "cleanup",
    "webhooks",
    "worker",
    "suppressions",
    "events",
    "catalogue",
    "usage",
    "storage",
    "storage:cors",
  ]);
  expect(commands.find(({ script }) => script === "storage:cors")).toEqual({
    script: "storage:cors",
    source: "app/commands/storage-cors.ts",
    built: "storage-cors.js",
  });
});
