/** `npm run client -- create|list|show|origins|change|rotate|revoke`: manages embed clients and their API keys, which are stored hashed. */
import { InvalidArgumentError } from "commander";
import { z } from "zod";
import {
  changeEmbedClient,
  changeOrigins,
  changePolicy,
  createEmbedClient,
  listEmbedClients,
  revokeEmbedClient,
  rotateApiKey,
  showEmbedClient,
} from "../embed/manage-embed-clients.server";
import { findService } from "../embed/service";
import type { Database } from "../providers/database.server";
import type { RequiredTag } from "../services/files/place/scope.server";
import { services } from "../services/registry.server";
import {
  type CommandDefinition,
  JSON_OPTION,
  type JsonOption,
  runAsProcess,
  type Session,
} from "./run-command";

type Console = Session["console"];

/** When a key expires. Not null for a key that never does: commander would take null for an empty text. */
type Expiry = Date | "never";

interface CreateOptions extends JsonOption {
  company?: string;
  newCompany?: string;
  name: string;
  service?: string[];
  origin: string[];
  bucket?: string[];
  path?: string[];
  uploadFolder?: string[];
  action?: string[];
  requireTag?: RequiredTag;
  policy?: Record<string, unknown>;
  expires?: Expiry;
}

const REQUIRE_TAG = "files with this tag can be read, like GuardDutyMalwareScanStatus=NO_THREATS_FOUND";
const EXPIRES = "when the key expires: 90d, 12h, a time like 2027-01-31, or never";

export const client: CommandDefinition = (program, session) => {
  program.description(
    "Creates and manages embed clients and their API keys. Needs POSTGRES_URL, or a running local stack.",
  );

  program
    .command("create")
    .description("create an embed client and show its API key, once")
    .option("--company <id>", "the company it belongs to")
    .option("--new-company <name>", "create that company first, if your companies are not created elsewhere")
    .requiredOption("--name <text>", "which integration the key is for")
    .option(
      "--service <key...>",
      "services it may embed: files, activity; default: files, or those of --policy",
    )
    .requiredOption("--origin <origin...>", "origins that may embed, like https://app.example.com")
    .option("--bucket <name...>", "buckets it may open")
    .option("--path <folder...>", "folders that may be browsed; without it, whole buckets")
    .option(
      "--upload-folder <folder...>",
      "folders that may be uploaded to; without it, those that may be browsed",
    )
    .option(
      "--action <name...>",
      "what visitors may do: download, upload, organize, delete, activity, history, purge; without it, the first two",
    )
    .option("--require-tag <key=value>", `only ${REQUIRE_TAG}`, readTag)
    .option(
      "--policy <json>",
      'instead of these, a policy for each service: { "files": { "buckets": ["NAME"] }, "activity": {} }',
      readPolicies,
    )
    .option("--expires <when>", `${EXPIRES}; default: never`, readExpiry)
    .option(...JSON_OPTION)
    .action((options: CreateOptions) =>
      session.withDatabase((database) => create(session, database, options)),
    );

  program
    .command("list")
    .description("list embed clients")
    .option(...JSON_OPTION)
    .action((options: JsonOption) => session.withDatabase((database) => list(session, database, options)));

  program
    .command("show <id>")
    .description("show one embed client")
    .option(...JSON_OPTION)
    .action((id: string, options: JsonOption) =>
      session.withDatabase(async (database) => {
        const client = await showEmbedClient(database, id);
        if (options.json) session.printJson(client);
        else describe(session.console, client);
      }),
    );

  const origins = program.command("origins").description("change which origins may embed");
  for (const change of ["add", "remove"] as const) {
    origins
      .command(`${change} <id> <origin...>`)
      .description(`${change} origins, like https://app.example.com; it takes effect with the next token`)
      .addHelpText("after", "\nThen allow them to access the bucket: npm run storage:cors -- --bucket NAME")
      .action((id: string, values: string[]) =>
        session.withDatabase(async (database) => {
          const now = await changeOrigins(database, id, { [change]: values });
          session.console.log(`These may embed now: ${now.join(", ") || "none"}.`);
        }),
      );
  }

  program
    .command("change <id>")
    .description("change what visitors may do, which folders and files they reach, or when the key expires")
    .option("--add-path <folder...>", "further folders, which tokens include from now on")
    .option("--action <name...>", "instead of the present ones: what tokens may allow from now on")
    .option("--require-tag <key=value>", `from now on only ${REQUIRE_TAG}; open explorers reconnect`, readTag)
    .option("--no-require-tag", "files can be read whatever tags they have, from the next token on")
    .option("--expires <when>", EXPIRES, readExpiry)
    .action((id: string, options: ChangeOptions) =>
      session.withDatabase((database) => change(session.console, database, id, options)),
    );

  program
    .command("rotate <id>")
    .description(
      "give an embed client a new API key; the old one and its tokens stop working within 5 seconds",
    )
    .option("--keep-tokens", "leave tokens that were issued with the old key valid until they expire")
    .option("--expires <when>", `${EXPIRES}; default: same as the old key`, readExpiry)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nTo change keys without a gap, create a second embed client, switch your backend to it, then revoke the first.\n" +
        "After a leak, also look for webhooks that somebody else has created with the old key: npm run webhooks -- list --client ID",
    )
    .action((id: string, options: JsonOption & { expires?: Expiry; keepTokens?: boolean }) =>
      session.withDatabase(async (database) => {
        const { expires, keepTokens } = options;
        const { apiKey } = await rotateApiKey(database, id, {
          expiresAt: expires && toDate(expires),
          ...(keepTokens && { keepTokens }),
        });
        if (options.json) return session.printJson({ id, apiKey });
        showKey(session.console, apiKey);
      }),
    );

  program
    .command("revoke <id>")
    .description("revoke an embed client's API key, the tokens that were issued with it, and its webhooks")
    .action((id: string) =>
      session.withDatabase(async (database) => {
        await revokeEmbedClient(database, id);
        session.console.log(
          `Revoked ${id}. Its API key is refused within 5 seconds, and its webhooks get nothing more.`,
        );
      }),
    );
};

async function list(session: Session, database: Database, options: JsonOption): Promise<void> {
  const clients = await listEmbedClients(database);
  if (options.json) return session.printJson(clients);
  if (clients.length === 0)
    return session.console.log("There are no embed clients yet. Create one with `create`.");
  for (const client of clients) describe(session.console, client);
}

function describe(console: Console, client: Awaited<ReturnType<typeof showEmbedClient>>): void {
  const { revokedAt, expiresAt } = client;
  const ending = expiresAt
    ? `${expiresAt <= new Date() ? "expired" : "until"} ${expiresAt.toISOString()}`
    : "live";
  const state = revokedAt ? `revoked ${revokedAt.toISOString()}` : ending;
  console.log(`${client.id}  ${client.name} (${state})`);
  console.log(`  company   ${client.companyId}`);
  console.log(`  services  ${client.allowedServices.join(", ")}`);
  console.log(`  origins   ${client.allowedOrigins.join(", ")}`);
  console.log(`  scopes    ${JSON.stringify(client.allowedScopes)}`);
}

async function create(session: Session, database: Database, options: CreateOptions): Promise<void> {
  const { console } = session;
  if ((options.company === undefined) === (options.newCompany === undefined)) {
    throw new Error("Give either --company ID or --new-company NAME.");
  }
  const client = {
    company: options.company === undefined ? { name: options.newCompany ?? "" } : { id: options.company },
    name: options.name,
    ...readServices(options),
    origins: options.origin,
    expiresAt: toDate(options.expires),
  };
  const { id, companyId, apiKey } = await createEmbedClient(database, client, services);
  if (options.json) return session.printJson({ id, companyId, apiKey });
  if (options.newCompany !== undefined) console.log(`Created the company ${companyId}.`);
  console.log(`Created the embed client ${id}.`);
  showKey(console, apiKey);
  // The bucket of the local stack has its CORS rule already.
  if (options.bucket === undefined || session.usesLocalStack) return;
  console.log(
    `Next, allow browsers to access the bucket: npm run storage:cors -- --bucket ${options.bucket[0]}`,
  );
}

interface ServicesWithPolicies {
  services: string[];
  policies: Record<string, unknown>;
}

/**
 * The services that a new key may embed, with a policy for each. A service without a policy, or a policy without its service, would be
 * refused only when somebody uses the key, so both are refused here.
 * @throws Error that says what to give instead
 */
function readServices(options: CreateOptions): ServicesWithPolicies {
  const { bucket: buckets, policy: policies } = options;
  if (buckets !== undefined && policies === undefined) return readPolicyOptions(options, buckets);
  if (buckets !== undefined || policies === undefined)
    throw new Error("Give either --bucket NAME or --policy JSON.");
  if (options.path || options.uploadFolder || options.action || options.requireTag)
    throw new Error(
      "--policy replaces --path, --upload-folder, --action and --require-tag. Write these into the policy.",
    );

  const named = Object.keys(policies);
  const { service: keys = named } = options;
  if (keys.length === 0) throw new Error("--policy has no policy. Give one for each service.");
  const bare = keys.filter((key) => !named.includes(key));
  if (bare.length > 0)
    throw new Error(`--policy has no policy for ${bare.join(", ")}. It needs one for each --service.`);
  const unnamed = named.filter((key) => !keys.includes(key));
  if (unnamed.length > 0)
    throw new Error(
      `--policy has a policy for ${unnamed.join(", ")}, which --service does not name. Name it, or leave out --service.`,
    );
  return { services: keys, policies };
}

/** @throws Error if an option, or a service, is not one of those that a bucket can be given for */
function readPolicyOptions(options: CreateOptions, buckets: string[]): ServicesWithPolicies {
  const { service: keys = ["files"], path: paths, uploadFolder: uploadFolders, action: actions } = options;
  const { requireTag } = options;
  if ((uploadFolders || actions || requireTag) && !keys.includes("files"))
    throw new Error(
      "--upload-folder, --action and --require-tag need the service files. Add it to --service.",
    );
  const reach = { buckets, ...(paths ? { paths } : {}) };
  const known: Record<string, object> = {
    files: {
      ...reach,
      ...(uploadFolders ? { uploadFolders } : {}),
      ...(actions ? { actions } : {}),
      ...(requireTag ? { requireTag } : {}),
    },
    activity: reach,
  };
  const policies: Record<string, unknown> = {};
  for (const key of keys) {
    if (Object.hasOwn(known, key)) policies[key] = known[key];
    else if (findService(services, key) !== undefined)
      throw new Error(`--bucket is for files and activity. For ${key}, give --policy JSON.`);
    // Unknown services are reported together with everything else that is wrong.
  }
  return { services: keys, policies };
}

interface ChangeOptions {
  addPath?: string[];
  action?: string[];
  /** false: none */
  requireTag?: RequiredTag | false;
  expires?: Expiry;
}

async function change(
  console: Console,
  database: Database,
  id: string,
  { addPath, action, requireTag, expires }: ChangeOptions,
): Promise<void> {
  if ([addPath, action, requireTag, expires].every((option) => option === undefined))
    throw new Error(
      "Give --add-path FOLDER, --action NAME, --require-tag KEY=VALUE, --no-require-tag or --expires WHEN.",
    );
  if (addPath) {
    const withPaths = (policy: unknown) => {
      const { paths, ...rest } = Object(policy) as { paths?: unknown };
      if (!Array.isArray(paths))
        throw new Error(`${id} has no list of folders: it may open whole buckets, or no files.`);
      return { ...rest, paths: [...new Set([...paths, ...addPath])] };
    };
    const { paths } = await changePolicy(database, id, "files", withPaths, services);
    console.log(`These may be opened now: ${paths.join(", ")}.`);
  }
  const policyOf = (policy: unknown): object => {
    if (Object(policy) !== policy) throw new Error(`${id} has no policy for files.`);
    return policy as object;
  };
  if (action) {
    const withActions = (policy: unknown) => ({ ...policyOf(policy), actions: [...new Set(action)] });
    const { actions } = await changePolicy(database, id, "files", withActions, services);
    console.log(`Tokens may allow these actions now: ${actions.join(", ")}.`);
  }
  if (requireTag !== undefined) {
    const withTag = (policy: unknown) => {
      const { requireTag: _, ...rest } = policyOf(policy) as { requireTag?: unknown };
      return requireTag ? { ...rest, requireTag } : rest;
    };
    await changePolicy(database, id, "files", withTag, services);
    console.log(
      requireTag
        ? `Only files with the tag ${requireTag.key}=${requireTag.value} can be read, within 5 seconds.`
        : "Files can be read whatever tags they have.",
    );
  }
  if (expires === undefined) return;
  const end = toDate(expires);
  await changeEmbedClient(database, id, { expiresAt: end }, services);
  console.log(end ? `Its key expires at ${end.toISOString()}.` : "Its key does not expire.");
}

function readPolicies(json: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(json));
  } catch {
    throw new InvalidArgumentError("It must be a JSON object with a policy for each service.");
  }
}

/** @param text a tag like `scan=clean`; its value may contain an equals sign */
function readTag(text: string): RequiredTag {
  const [, key, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError("It must be like KEY=VALUE.");
  return { key, value };
}

const UNIT_MS: Record<string, number> = { h: 3_600_000, d: 86_400_000 };

/** @param text days or hours from now like `90d`, an ISO 8601 time (UTC, unless it has an offset), or `never` */
function readExpiry(text: string): Expiry {
  if (text === "never") return text;
  const [, count, unit = ""] = /^(\d{1,5})([hd])$/.exec(text) ?? [];
  const [isTime, , timeOfDay, , offset] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  let time = Number.NaN;
  if (count) time = Date.now() + Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  else if (isTime) time = Date.parse(timeOfDay && !offset ? `${text}Z` : text);
  if (Number.isNaN(time)) throw new InvalidArgumentError("It must be like 90d, 12h or 2027-01-31.");
  if (time <= Date.now()) throw new InvalidArgumentError("It must be in the future.");
  return new Date(time);
}

/** As the database stores it: null if the key never expires. */
const toDate = (expires: Expiry | undefined): Date | null =>
  expires === undefined || expires === "never" ? null : expires;

function showKey(console: Console, apiKey: string): void {
  console.log(`Its API key, which is shown only once; keep it on your backend:\n\n  ${apiKey}\n`);
}

await runAsProcess(import.meta.url, "client", client);
