/** `npm run webhooks -- add|list|remove|rotate|enable|deliveries|replay|test`: manages where companies get their events. */
import { InvalidArgumentError } from "commander";
import { showEmbedClient } from "../embed/manage-embed-clients.server";
import { type EnvVariables, parseOnly } from "../env/env.server";
import { timeSchema } from "../events/event-filter.server";
import { services } from "../services/registry.server";
import { listDeliveries, replayEvents, sendTestEvent } from "../webhooks/webhook-deliveries.server";
import {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  listWebhooks,
  newWebhookSchema,
  rotateWebhookSecret,
  type WebhookSettings,
} from "../webhooks/webhook-endpoints.server";
import {
  type CommandDefinition,
  JSON_OPTION,
  type JsonOption,
  readOptions,
  runAsProcess,
  type Session,
  wholeNumber,
} from "./run-command";

export const webhooks: CommandDefinition = (program, session) => {
  const { console } = session;
  program.description(
    "Manages webhooks: where companies get their events. Needs the server's environment, or a running local stack.",
  );

  program
    .command("add")
    .description("create a webhook and show its secret, once")
    .requiredOption("--client <id>", "an embed client of the company")
    .requiredOption("--url <url>", "where events are sent, like https://example.com/webhooks")
    .requiredOption("--types <type...>", 'which events, like file.uploaded, "file.*" or "*"')
    .option(...JSON_OPTION)
    .action((options: JsonOption & { client: string; url: string; types: string[] }) =>
      session.withDatabase(async (database, variables) => {
        const client = await showEmbedClient(database, options.client);
        if (client.revokedAt !== null)
          throw new Error(`The embed client ${client.id} is revoked: its webhooks get nothing.`);
        const { url, types } = options;
        const made = await createWebhook(
          database,
          client,
          readOptions(newWebhookSchema, { url, types }),
          webhookSettingsOf(variables),
        );
        if (options.json) return session.printJson(made);
        console.log(`Created the webhook ${made.id}.`);
        showSecret(console, made.secret);
      }),
    );

  program
    .command("list")
    .description("list webhooks, without their secrets")
    .option("--client <id>", "only those of this embed client's company")
    .option(...JSON_OPTION)
    .action((options: JsonOption & { client?: string }) =>
      session.withDatabase(async (database) => {
        const company =
          options.client === undefined
            ? undefined
            : (await showEmbedClient(database, options.client)).companyId;
        const found = await listWebhooks(database, { companyId: company });
        if (options.json) return session.printJson(found);
        if (found.length === 0) return console.log("There are no webhooks yet. Create one with `add`.");
        for (const {
          id,
          url,
          types,
          companyId,
          clientId,
          failingSince,
          disabledAt,
          disabledReason,
        } of found) {
          const failing = failingSince === null ? "works" : `fails since ${failingSince}`;
          console.log(
            `${id}  ${disabledAt === null ? failing : `off since ${disabledAt}: ${disabledReason}`}`,
          );
          console.log(`  url      ${url}`);
          console.log(`  types    ${types.join(", ")}`);
          console.log(`  company  ${companyId}, created by the client ${clientId}`);
        }
      }),
    );

  program
    .command("remove <id>")
    .description("delete a webhook; events on their way are not sent any more")
    .action((id: string) =>
      session.withDatabase(async (database) => {
        await deleteWebhook(database, { id });
        console.log(`Deleted ${id}.`);
      }),
    );

  program
    .command("rotate <id>")
    .description("give a webhook a new secret; for a day, the old one signs, too")
    .option(...JSON_OPTION)
    .action((id: string, options: JsonOption) =>
      session.withDatabase(async (database, variables) => {
        const made = await rotateWebhookSecret(database, { id }, webhookSettingsOf(variables).signingSecrets);
        if (options.json) return session.printJson(made);
        showSecret(console, made.secret);
      }),
    );

  program
    .command("enable <id>")
    .description("switch a webhook on again that was switched off, and send what waits")
    .addHelpText("after", "\nEvents that happened while it was off are sent by `replay`.")
    .action((id: string) =>
      session.withDatabase(async (database) => {
        await enableWebhook(database, { id });
        console.log(`${id} is on.`);
      }),
    );

  program
    .command("deliveries <id>")
    .description("list the latest deliveries of a webhook, newest first, without test messages")
    .option("--failed", "only those that were not delivered yet, and have failed at least once")
    .option("--limit <number>", "how many at most", wholeNumber(1, 1_000), 50)
    .option(...JSON_OPTION)
    .action((id: string, options: JsonOption & { failed?: boolean; limit: number }) =>
      session.withDatabase(async (database) => {
        const found = await listDeliveries(database, { id }, options);
        if (options.json) return session.printJson(found);
        if (found.length === 0) return console.log("There are none.");
        for (const { eventId, type, subject, status, attempts, error, nextAttemptAt, createdAt } of found) {
          const next = nextAttemptAt === null ? "" : `, next ${nextAttemptAt}`;
          console.log(
            `${eventId}  ${type ?? "(deleted)"}  ${subject === null ? "" : JSON.stringify(subject)}`,
          );
          console.log(`  recorded ${createdAt}, ${status}, attempts: ${attempts}${next}`);
          if (error !== null) console.log(`  ${error}`);
        }
      }),
    );

  program
    .command("replay <id>")
    .description("send events again")
    .option("--event <id...>", "these events, whether they were delivered or not")
    .option(
      "--since <time>",
      "all events since a time like 2027-01-31T12:00:00Z that were not delivered, also from before the webhook was created",
      readTime,
    )
    .addHelpText("after", "\nReceivers get the same webhook-id, and ignore what they know already.")
    .action((id: string, options: { event?: string[]; since?: string }) =>
      session.withDatabase(async (database) => {
        if ((options.event === undefined) === (options.since === undefined))
          throw new Error("Give either --event ID or --since TIME.");
        let count = 0;
        let { since } = options;
        do {
          const replayed = await replayEvents(database, { id }, { eventIds: options.event, since }, services);
          count += replayed.count;
          since = replayed.next ?? undefined;
          for (const skipped of replayed.skipped) {
            console.error(`${skipped} is no event of this company that the webhook and its API key get.`);
            session.exitCode = 1;
          }
        } while (since !== undefined);
        console.log(`${count} ${count === 1 ? "event is" : "events are"} sent again.`);
      }),
    );

  program
    .command("test <id>")
    .description("send an event of type webhook.test now; the exit code is 1 if it is not delivered")
    .option(...JSON_OPTION)
    .action((id: string, options: JsonOption) =>
      session.withDatabase(async (database, variables) => {
        const result = await sendTestEvent(database, { id }, webhookSettingsOf(variables));
        if (options.json) session.printJson(result);
        else console.log(result.error ?? `Delivered. The response had the status ${result.status}.`);
        if (!result.isDelivered) session.exitCode = 1;
      }),
    );
};

/** The settings of webhooks, without the rest of the environment. @throws EnvError */
function webhookSettingsOf(variables: EnvVariables): WebhookSettings {
  const {
    EMBED_SIGNING_SECRET: secret,
    EMBED_SIGNING_SECRET_PREVIOUS: previous,
    WEBHOOK_ALLOW_PRIVATE: allowPrivate,
  } = parseOnly(variables, "EMBED_SIGNING_SECRET", "EMBED_SIGNING_SECRET_PREVIOUS", "WEBHOOK_ALLOW_PRIVATE");
  return { signingSecrets: previous === undefined ? [secret] : [secret, previous], allowPrivate };
}

function readTime(text: string): string {
  const { data } = timeSchema.safeParse(text);
  if (data === undefined)
    throw new InvalidArgumentError("It must be like 2027-01-31T12:00:00Z, with a time zone.");
  return data;
}

function showSecret(console: Session["console"], secret: string): void {
  console.log(
    `Its secret, which is shown only once; the receiver checks signatures with it:\n\n  ${secret}\n`,
  );
}

await runAsProcess(import.meta.url, "webhooks", webhooks);
