/** `npm run databases -- list|show|create|refresh`: cluster databases, as the API has them. */
import type { z } from "zod";
import {
  createClusterDatabase,
  createClusterDatabaseSchema,
} from "../databases/create-cluster-database.server";
import {
  findClusterDatabase,
  listClusterDatabases,
  listClusterDatabasesSchema,
} from "../databases/find-cluster-databases.server";
import { refreshUsage } from "../databases/refresh-usage.server";
import type { DatabaseResource } from "../databases/resource";
import { parseEnv } from "../env.server";
import { createDataApi } from "../providers/data-api.server";
import { validationMessages } from "../shared/validation-messages";
import { type CommandDefinition, runAsProcess } from "./run-command";

interface Json {
  json?: boolean;
}

interface ListOptions extends Json {
  company: string;
  region?: string;
  status?: string;
}

interface CreateOptions extends Json {
  company: string;
  name: string;
  region: string;
  maxCapacity?: number;
}

export const databases: CommandDefinition = (program, session) => {
  const { console } = session;
  const print = (value: unknown) => console.log(JSON.stringify(value, null, 2));
  const json = ["--json", "print the result as JSON"] as const;
  const showLine = ({ id, name, region, status, storageBytes }: DatabaseResource) => {
    const size = storageBytes === null ? "" : `, ${storageBytes} bytes`;
    console.log(`${id}  ${name}  ${region}  ${status}${size}`);
  };
  program.description(
    "Creates, lists and maintains cluster databases. Needs the server's environment, or a running local stack.",
  );

  program
    .command("list")
    .description("list a company's databases, newest first")
    .requiredOption("--company <id>", "whose databases")
    .option("--region <region>", "only those in this region")
    .option("--status <status>", "only those that are pending, active, suspended or deleted")
    .option(...json)
    .action(({ company: companyId, json, ...filter }: ListOptions) =>
      session.withDatabase(async (database) => {
        const query = readOptions(listClusterDatabasesSchema, { companyId, ...filter });
        const { databases } = await listClusterDatabases(database, query);
        if (json) return print(databases);
        if (databases.length === 0) return console.log("There are no such databases.");
        for (const one of databases) showLine(one);
      }),
    );

  program
    .command("show <id>")
    .description("show one database")
    .option(...json)
    .action((id: string, options: Json) =>
      session.withDatabase(async (database) => {
        const found = await findClusterDatabase(database, id);
        if (options.json) return print(found);
        for (const [member, value] of Object.entries(found))
          console.log(`${member.padEnd(16)} ${typeof value === "object" ? JSON.stringify(value) : value}`);
      }),
    );

  program
    .command("create")
    .description("create a database, or finish one that was left half made; can be repeated")
    .requiredOption("--company <id>", "whose database")
    .requiredOption("--name <name>", "letters, digits, _ and spaces")
    .requiredOption("--region <region>", "like ca-central-1")
    .option("--max-capacity <acu>", "recorded, not enforced", Number)
    .option(...json)
    .action(({ company: companyId, maxCapacity: maxCapacityAcu, json, ...given }: CreateOptions) =>
      session.withDatabase(async (database, source) => {
        const request = readOptions(createClusterDatabaseSchema, { companyId, maxCapacityAcu, ...given });
        const { clusters, dataApi } = parseEnv(source);
        const tools = { database, dataApi: createDataApi(dataApi), clusters };
        const { resource, note } = await createClusterDatabase(request, tools);
        if (json) return print({ resource, note });
        console.log(`${resource.id}  ${note}`);
      }),
    );

  program
    .command("refresh")
    .description(
      "record how large active databases are and what capacity their clusters run at; can be stopped and repeated at any time",
    )
    .action(() =>
      session.withDatabase(async (database, source) => {
        const env = parseEnv(source);
        const { refreshed, missing, failures, unmeasured } = await refreshUsage(
          {
            database,
            dataApi: createDataApi(env.dataApi),
            capacity: env.capacity,
            clusters: env.clusters,
          },
          ({ region, done, total }) => console.error(`${region}: ${done} of ${total}`),
        );
        for (const name of missing)
          console.error(`${name} is recorded as active, but its cluster does not have it.`);
        for (const { region, reason } of unmeasured) {
          console.error(`The capacity of the cluster in ${region} could not be read: ${reason}`);
        }
        for (const { region, reason } of failures) console.error(`${region} was not refreshed: ${reason}`);
        console.log(`Refreshed ${refreshed} of ${refreshed + missing.length}.`);
        if (failures.length > 0) session.exitCode = 1;
      }),
    );
};

/** @throws Error that names each option that is wrong */
function readOptions<Schema extends z.ZodType>(schema: Schema, options: object): z.output<Schema> {
  const parsed = schema.safeParse(options, { error: validationMessages });
  if (parsed.success) return parsed.data;
  throw new Error(
    parsed.error.issues.map(({ path, message }) => `--${optionOf(path[0])} ${message}`).join("\n"),
  );
}

const optionOf = (member: PropertyKey | undefined) => {
  if (member === "companyId") return "company";
  return member === "maxCapacityAcu" ? "max-capacity" : String(member);
};

await runAsProcess(import.meta.url, "databases", databases);
