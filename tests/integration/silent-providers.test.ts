/**
 * Providers that hang, go silent or close connections, with time limits of one second. `npm run drill` tests the built service with
 * its real limits.
 */
import { afterAll, afterEach, describe, expect, inject, it } from "vitest";
import { createClusterDatabase } from "../../app/databases/create-database.server";
import { createMarkdownPool } from "../../app/email/markdown-pool.server";
import { sendSimpleEmail } from "../../app/email/send-simple-email.server";
import { simpleEmailSchema } from "../../app/email/simple-email.server";
import { parseEnv } from "../../app/env/env.server";
import { createMailer } from "../../app/providers/mail.server";
import { createDataApi } from "../../app/providers/rds-data-api.server";
import { deploymentEnv } from "../support/app/deployment";
import { databaseOf } from "../support/app/embed-client";
import { freshName, makeCompany } from "../support/databases/cluster-databases";
import { startTestDataApi } from "../support/databases/data-api";
import { startSes } from "../support/email/ses";
import { testEvents } from "../support/files/test-events";
import { Wire } from "../support/network/wire";

const stack = inject("stack");
const context = {
  requestId: "tests",
  route: "/api/send-simple-email",
  callerAddress: "127.0.0.1",
  deadline: performance.now() + 600_000,
};
const env = parseEnv(deploymentEnv(stack, stack.postgresUrl));

describe("a mail provider", async () => {
  const ses = await startSes();
  const wire = await Wire.to(ses.endpoint);
  const mailer = createMailer({ ...env.mail, endpoint: wire.over(ses.endpoint) }, 1_000);
  const markdown = createMarkdownPool();
  afterEach(() => ses.setFault(undefined));
  afterAll(async () => {
    await wire.cut();
    await ses.close();
    await markdown.close();
  });

  const send = (count: number) =>
    sendSimpleEmail(
      simpleEmailSchema.parse({
        to: Array.from({ length: count }, (_, index) => `person-${index}@example.com`),
        title: "Hello",
        description: "Hello",
      }),
      {
        database: databaseOf(stack),
        events: testEvents(),
        mailer,
        markdown,
        env,
        context: { ...context, deadline: performance.now() + 5_900 },
      },
    );

  it("that hangs delays a request no longer than its deadline, whatever the number of recipients", async () => {
    ses.setFault(() => ({ hang: true }));
    const { sent, results } = await send(15);
    expect(sent).toBe("none");
    expect(results).toHaveLength(15);
    // Messages in progress at the deadline may have been sent. Messages that were not started have not been sent.
    const reasons = results.map((result) => ("error" in result ? result.error : ""));
    expect(reasons.filter((reason) => reason.includes("may have been sent"))).toHaveLength(ses.requests);
    expect(new Set(reasons).size).toBe(2);
    ses.setFault(undefined);
    expect((await send(2)).sent).toBe("all");
  });

  it("whose network goes silent or refuses connections works from the first request after its return", async () => {
    wire.silence();
    expect((await send(1)).sent).toBe("none");
    await wire.restore();
    expect((await send(1)).sent).toBe("all");
    await wire.cut();
    await expect(send(1)).rejects.toMatchObject({ code: "unavailable" });
    await wire.restore();
    expect((await send(1)).sent).toBe("all");
  });

  it("that closes idle connections does not count as failing", async () => {
    ses.closeAfterOne();
    for (let count = 0; count < 5; count++) expect((await send(1)).sent).toBe("all");
  });
});

describe("a Data API", async () => {
  const dataApi = await startTestDataApi(stack);
  const { dataApi: settings, clusters } = parseEnv({
    ...deploymentEnv(stack, stack.postgresUrl),
    ...dataApi.env,
  });
  const database = databaseOf(stack);
  afterAll(() => dataApi.stopDataApi());

  it("that hangs makes a creation time out, delays nothing else, and works once it is back", async () => {
    const companyId = await makeCompany(stack);
    const request = { companyId, name: freshName(), region: stack.clusterRegion };
    const create = (timeoutSeconds: number) =>
      createClusterDatabase(request, {
        database,
        clusters,
        dataApi: createDataApi({ ...settings, timeoutSeconds }),
      });
    const sent = new Promise<void>((resolve) =>
      dataApi.setFault((sql) => {
        if (!sql.startsWith("CREATE DATABASE")) return undefined;
        resolve();
        return { delayMs: 60_000 };
      }),
    );
    const creating = create(1);
    creating.catch(() => {});
    await sent;
    await database.$ping();
    await expect(creating).rejects.toMatchObject({ code: "unavailable" });
    dataApi.setFault(undefined);
    expect((await create(45)).resource.status).toBe("active");
  });
});
