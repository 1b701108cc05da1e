/** What one company's database may take of its cluster, so that the others go on working. */
import { Client } from "pg";
import { describe, expect, inject, it } from "vitest";
import {
  createCredential,
  removeCredential,
  removeExpiredCredentials,
  targetOf,
} from "../../app/databases/credentials/database-credentials.server";
import { parseEnv } from "../../app/env/env.server";
import { createDataApi } from "../../app/providers/rds-data-api.server";
import { deploymentEnv } from "../support/app/deployment";
import { databaseOf } from "../support/app/embed-client";
import { freshName, makeCompany, postDatabase } from "../support/databases/cluster-databases";
import { query } from "../support/databases/postgres";

const stack = inject("stack");
const { apiBaseUrl, clusterRegion: region } = stack;

/** Few, so that the connections of the shared server suffice. */
const CONNECTIONS = 3;

const { dataApi, clusters } = parseEnv({
  ...deploymentEnv(stack, stack.postgresUrl),
  CLUSTER_HOST_CA_CENTRAL_1: `127.0.0.1:${new URL(stack.postgresUrl).port}`,
  CLUSTER_DATABASE_CONNECTIONS: String(CONNECTIONS),
});
const tools = { database: databaseOf(stack), dataApi: createDataApi(dataApi), clusters };

async function makeDatabase() {
  const companyId = await makeCompany(stack);
  const { body } = await postDatabase(apiBaseUrl, { companyId, name: freshName(), region });
  return body.resource;
}

async function connect({ url }: { url: string | null }): Promise<Client> {
  const client = new Client({ connectionString: url ?? "" });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** SQLSTATEs of logins that may not connect, or are gone. */
const NO_LOGIN = /^(28000|28P01)$/;

/** Opens as many sessions as there may be. @returns those, and PostgreSQL's code that refuses the next */
async function takeAll(login: { url: string | null }) {
  const sessions: Client[] = [];
  for (;;) {
    const session = await connect(login).catch(({ code }: { code: string }) => code);
    if (typeof session === "string") return { sessions, refusal: session };
    sessions.push(session);
  }
}
const end = (sessions: readonly Client[]) => Promise.all(sessions.map((session) => session.end()));

describe("a company that takes all connections it can get", () => {
  it("gets its share, by one login and by several, and another company works", async () => {
    const [eves, adas] = [await makeDatabase(), await makeDatabase()];
    const eve = await createCredential(eves.id, {}, tools);
    expect(eve.limits).toEqual({
      connections: CONNECTIONS,
      idleTransactionSeconds: 600,
      temporaryFileGb: 10,
    });
    const first = await takeAll(eve);
    expect([first.sessions.length, first.refusal]).toEqual([CONNECTIONS, "53300"]);
    // Another login of the same database gets nothing more, and making it needs no connection to that database.
    const second = await takeAll(await createCredential(eves.id, {}, tools));
    expect([second.sessions.length, second.refusal]).toEqual([0, "53300"]);
    const ada = await takeAll(await createCredential(adas.id, {}, tools));
    expect(ada.sessions.length).toBe(CONNECTIONS);
    expect((await ada.sessions[0]?.query("SELECT 1 AS one"))?.rows).toEqual([{ one: 1 }]);
    await end([...first.sessions, ...ada.sessions]);
  });

  it("cannot lift its limits", async () => {
    const { id, name } = await makeDatabase();
    const eve = await createCredential(id, {}, tools);
    const session = await connect(eve);
    for (const sql of [
      `ALTER DATABASE "${name}" CONNECTION LIMIT -1`,
      `ALTER DATABASE "${name}" RESET temp_file_limit`,
      `ALTER ROLE "${eve.user}" CONNECTION LIMIT -1`,
      "SET temp_file_limit = -1",
    ])
      expect([sql, await session.query(sql).catch(({ code }: { code: string }) => code)]).toEqual([
        sql,
        "42501",
      ]);
    await session.end();
  });

  it("does not keep one of its logins: it is ended at once, and removed when there is a connection", async () => {
    const { id } = await makeDatabase();
    const [leaving, staying] = [await createCredential(id, {}, tools), await createCredential(id, {}, tools)];
    const { sessions } = await takeAll(staying);
    expect(await removeCredential(id, leaving.user, tools)).toMatchObject({
      user: leaving.user,
      isDone: false,
    });
    expect((await takeAll(leaving)).refusal).toMatch(NO_LOGIN);
    await end(sessions);
    await removeExpiredCredentials(tools, new AbortController().signal);
    expect(
      await query(stack.postgresUrl, "SELECT 1 FROM pg_roles WHERE rolname = $1", [leaving.user]),
    ).toEqual([]);
  });
});

it("a login whose table is locked by another session is ended at once, and removed when the lock is free", async () => {
  const { id } = await makeDatabase();
  const [leaving, staying] = [await createCredential(id, {}, tools), await createCredential(id, {}, tools)];
  const maker = await connect(leaving);
  await maker.query("SET ROLE NONE; CREATE TABLE public.work (id int); GRANT ALL ON work TO PUBLIC");
  const holder = await connect(staying);
  await holder.query("BEGIN; LOCK TABLE work");
  const path = `${apiBaseUrl}/api/cluster/databases/${id}/credentials`;
  const removed = await fetch(`${path}/${leaving.user}`, { method: "DELETE" });
  expect([removed.status, await removed.json()]).toEqual([202, { user: leaving.user }]);
  expect((await takeAll(leaving)).refusal).toMatch(NO_LOGIN);
  await holder.query("COMMIT");
  await removeExpiredCredentials(tools, new AbortController().signal);
  const { credentials } = await (await fetch(path)).json();
  expect(credentials).toMatchObject([{ user: staying.user }]);
  // What it made belongs to the others by now.
  await holder.query("ALTER TABLE work ADD COLUMN text text");
  await holder.end();
});

it("a login that is ended has nothing left through another login of its database", async () => {
  const { id } = await makeDatabase();
  const [leaving, staying] = [await createCredential(id, {}, tools), await createCredential(id, {}, tools)];
  const record = await tools.database.clientResource.findUniqueOrThrow({ where: { id } });
  const target = targetOf(record, clusters);
  if (target === null) throw new Error("The cluster is not configured.");
  // As each login could do for itself before PostgreSQL 15. By the user of the cluster, because later versions remember who has granted it.
  await tools.dataApi.run(target.cluster, `GRANT "${staying.user}" TO "${leaving.user}"`);
  const maker = await connect(leaving);
  await maker.query("SET ROLE NONE; CREATE TABLE public.work (id int); GRANT ALL ON work TO PUBLIC");
  const holder = await connect(staying);
  await holder.query("BEGIN; LOCK TABLE work");
  expect(await removeCredential(id, leaving.user, tools)).toMatchObject({ isDone: false });
  const granted = await query(
    stack.postgresUrl,
    "SELECT roleid::regrole FROM pg_auth_members WHERE member = $1::regrole",
    [`"${leaving.user}"`],
  );
  expect(granted).toEqual([]);
  await holder.end();
  await removeExpiredCredentials(tools, new AbortController().signal);
});

it("an idle transaction ends, and large temporary files are refused", async () => {
  const { id } = await makeDatabase();
  const session = await connect(await createCredential(id, {}, tools));
  const show = async (setting: string) => (await session.query(`SHOW ${setting}`)).rows[0][setting];
  expect(await show("idle_in_transaction_session_timeout")).toBe("10min");
  expect(await show("temp_file_limit")).toBe("10GB");
  await session.end();
});
