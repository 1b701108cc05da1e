/** `npm run databases -- list|show|create|delete|restore|credentials|secure|refresh`: cluster databases, as the API has them. */
import { createClusterDatabase, createClusterDatabaseSchema } from "../databases/create-database.server";
import {
  createCredential,
  listCredentials,
  newCredentialSchema,
  removeCredential,
  rotateCredential,
} from "../databases/credentials/database-credentials.server";
import { secureDatabases } from "../databases/credentials/secure-databases.server";
import { deleteDatabase, restoreDatabase } from "../databases/delete-database.server";
import {
  type DatabaseResource,
  findClusterDatabase,
  listClusterDatabases,
  listClusterDatabasesSchema,
} from "../databases/find-databases.server";
import { refreshUsage } from "../databases/refresh-usage.server";
import { parseEnv } from "../env/env.server";
import { clusterToolsOf } from "./cluster-tools";
import {
  type CommandDefinition,
  JSON_OPTION,
  type JsonOption,
  readOptions,
  runAsProcess,
} from "./run-command";

interface ListOptions extends JsonOption {
  company: string;
  region?: string;
  status?: string;
}

interface CredentialOptions extends JsonOption {
  add?: boolean;
  name?: string;
  rotate?: string;
  remove?: string;
}

interface CreateOptions extends JsonOption {
  company: string;
  name: string;
  region: string;
  maxCapacity?: number;
}

/** Options whose members of the API have other names. */
const optionNames = { companyId: "company", maxCapacityAcu: "max-capacity" };

export const databases: CommandDefinition = (program, session) => {
  const { console } = session;
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
    .option(...JSON_OPTION)
    .action(({ company: companyId, json, ...filter }: ListOptions) =>
      session.withDatabase(async (database) => {
        const query = readOptions(listClusterDatabasesSchema, { companyId, ...filter }, optionNames);
        const { databases } = await listClusterDatabases(database, query);
        if (json) return session.printJson(databases);
        if (databases.length === 0) return console.log("There are no such databases.");
        for (const one of databases) showLine(one);
      }),
    );

  program
    .command("show <id>")
    .description("show one database")
    .option(...JSON_OPTION)
    .action((id: string, options: JsonOption) =>
      session.withDatabase(async (database) => {
        const found = await findClusterDatabase(database, id);
        if (options.json) return session.printJson(found);
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
    .option(...JSON_OPTION)
    .action(({ company: companyId, maxCapacity: maxCapacityAcu, json, ...given }: CreateOptions) =>
      session.withDatabase(async (database, variables) => {
        const wanted = { companyId, maxCapacityAcu, ...given };
        const request = readOptions(createClusterDatabaseSchema, wanted, optionNames);
        const tools = clusterToolsOf(database, variables);
        const { resource, note } = await createClusterDatabase(request, tools);
        if (json) return session.printJson({ resource, note });
        console.log(`${resource.id}  ${note}`);
      }),
    );

  program
    .command("delete <id>")
    .description("delete a database; until `npm run cleanup` drops it after some days, it can be restored")
    .requiredOption("--confirm <name>", "the database's name, so that you delete the one that you mean")
    .option(...JSON_OPTION)
    .action((id: string, { confirm, json }: JsonOption & { confirm: string }) =>
      session.withDatabase(async (database, variables) => {
        const { databaseDeleteAfterDays: deleteAfterDays } = parseEnv(variables);
        const deleted = await deleteDatabase(id, { confirm }, { database, deleteAfterDays });
        if (json) return session.printJson(deleted);
        const { restorableUntil } = Object(deleted.metadata.deletion);
        console.log(
          `Deleted ${deleted.name}.${restorableUntil ? ` It can be restored until ${restorableUntil}, at least.` : ""}`,
        );
      }),
    );

  program
    .command("restore <id>")
    .description("bring a deleted database back, with its data and credentials")
    .option(...JSON_OPTION)
    .action((id: string, options: JsonOption) =>
      session.withDatabase(async (database) => {
        const restored = await restoreDatabase(id, { database });
        if (options.json) return session.printJson(restored);
        console.log(`Restored ${restored.name}. It is ${restored.status}.`);
      }),
    );

  program
    .command("secure")
    .description(
      "close each active database to other logins, and limit it as the settings say by now; can be stopped and repeated",
    )
    .option(
      "--default-database",
      "also to the clusters' default databases and template1: check first that nothing else relies on it",
    )
    .option(...JSON_OPTION)
    .action(({ defaultDatabase = false, json }: JsonOption & { defaultDatabase?: boolean }) =>
      session.withDatabase(async (database, variables) => {
        const tools = clusterToolsOf(database, variables);
        const stop = session.terminal.catchSignals();
        const result = await secureDatabases(tools, { withDefault: defaultDatabase, stop });
        for (const { database, reason } of result.failures) console.error(`${database}: ${reason}`);
        if (json) session.printJson(result);
        else console.log(`Secured ${result.secured} databases.`);
        if (stop.aborted) session.exitCode = 130;
        else if (result.failures.length > 0) session.exitCode = 1;
      }),
    );

  program
    .command("credentials <id>")
    .description("list a database's credentials, without passwords")
    .option("--add", "make a login for this database alone, and show it once")
    .option("--name <name>", "with --add: what it is for")
    .option("--rotate <user>", "replace this login; it works for another hour")
    .option("--remove <user>", "remove this login, and end its sessions")
    .option(...JSON_OPTION)
    .action((id: string, { add, name, rotate, remove, json }: CredentialOptions) =>
      session.withDatabase(async (database, variables) => {
        const tools = clusterToolsOf(database, variables);
        if (remove !== undefined) {
          const removed = await removeCredential(id, remove, tools);
          if (json) return session.printJson(removed);
          return console.log(
            removed.isDone
              ? `Removed ${removed.user}.`
              : `${removed.user} can no longer connect. Other sessions of the database hold up its removal: npm run cleanup tries again.`,
          );
        }
        if (add || rotate !== undefined) {
          const issued =
            rotate === undefined
              ? await createCredential(id, readOptions(newCredentialSchema, { name }), tools)
              : await rotateCredential(id, rotate, tools);
          if (json) return session.printJson(issued);
          const { user, password, url } = issued;
          return console.log(`Shown only once:\n\n  ${url ?? `user ${user}, password ${password}`}\n`);
        }
        const { credentials } = await listCredentials(id, tools);
        if (json) return session.printJson(credentials);
        if (credentials.length === 0)
          return console.log("There are no credentials yet. Make one with --add.");
        for (const { user, name, createdAt, expiresAt } of credentials)
          console.log(
            `${user}  since ${createdAt}${expiresAt ? `, until ${expiresAt}` : ""}${name ? `  ${name}` : ""}`,
          );
      }),
    );

  program
    .command("refresh")
    .description(
      "record how large active databases are and what capacity their clusters run at; can be stopped and repeated at any time",
    )
    .option(...JSON_OPTION)
    .action((options: JsonOption) =>
      session.withDatabase(async (database, variables) => {
        const result = await refreshUsage(clusterToolsOf(database, variables), ({ region, done, total }) =>
          console.error(`${region}: ${done} of ${total}`),
        );
        const { refreshed, missing, failures, unmeasured } = result;
        for (const name of missing)
          console.error(`${name} is recorded as active, but its cluster does not have it.`);
        for (const { region, reason } of unmeasured) {
          console.error(`The capacity of the cluster in ${region} could not be read: ${reason}`);
        }
        for (const { region, reason } of failures) console.error(`${region} was not refreshed: ${reason}`);
        if (options.json) session.printJson(result);
        else console.log(`Refreshed ${refreshed} of ${refreshed + missing.length}.`);
        if (failures.length > 0) session.exitCode = 1;
      }),
    );
};

await runAsProcess(import.meta.url, "databases", databases);
