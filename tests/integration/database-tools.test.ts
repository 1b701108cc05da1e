/** The usual tools, with the login that a customer gets for a database. docs/guide/databases.md lists what each needs. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createClusterDatabase } from "../../app/databases/create-database.server";
import {
  createCredential,
  removeCredential,
  rotateCredential,
} from "../../app/databases/credentials/database-credentials.server";
import { parseEnv } from "../../app/env/env.server";
import { createDataApi } from "../../app/providers/rds-data-api.server";
import { deploymentEnv } from "../support/app/deployment";
import { databaseOf } from "../support/app/embed-client";
import { freshName, makeCompany } from "../support/databases/cluster-databases";
import { startTestDataApi, withoutSuperuser } from "../support/databases/data-api";
import {
  type DebianPostgres,
  findDebianPostgres,
  startDebianPostgres,
} from "../support/databases/debian-postgres";
import { query } from "../support/databases/postgres";
import { withSchemaEngine } from "../support/databases/schema-engine";
import { notInstalled, works } from "../support/machine/installed";

const run = promisify(execFile);
const stack = inject("stack");
const { clusterRegion: region } = stack;
const companyId = await makeCompany(stack);

/** @param postgresUrl the cluster's, with its superuser */
async function connectCluster(postgresUrl: string) {
  const api = await startTestDataApi(await withoutSuperuser({ ...stack, postgresUrl }));
  const { dataApi, clusters } = parseEnv({
    ...deploymentEnv(stack, stack.postgresUrl),
    ...api.env,
    CLUSTER_HOST_CA_CENTRAL_1: `127.0.0.1:${new URL(postgresUrl).port}`,
  });
  const tools = { database: databaseOf(stack), dataApi: createDataApi(dataApi), clusters };
  return {
    tools,
    close: api.stopDataApi,
    async makeDatabase() {
      const { resource } = await createClusterDatabase({ companyId, name: freshName(), region }, tools);
      return resource;
    },
    /** A login's URL. */
    async connect({ id }: { id: string }) {
      const { user, url } = await createCredential(id, {}, tools);
      return { user, url: String(url) };
    },
  };
}

/** Who owns what is in the database. Extensions bring objects of their own. */
const ownersIn = (url: string) =>
  query<{ name: string; owner: string }>(
    url,
    `SELECT nspname || '.' || relname AS name, pg_get_userbyid(relowner) AS owner
       FROM pg_class JOIN pg_namespace AS schema ON schema.oid = relnamespace
      WHERE nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND relkind IN ('r', 'v', 'S')
      ORDER BY 1`,
  );
const currentUser = async (url: string) => {
  const [row] = await query<{ name: string }>(url, "SELECT current_user AS name");
  return row?.name;
};

describe("in the cluster of the local stack", () => {
  let cluster: Awaited<ReturnType<typeof connectCluster>>;
  beforeAll(async () => {
    cluster = await connectCluster(stack.postgresUrl);
  });
  afterAll(() => cluster?.close());

  describe("Prisma's schema engine", () => {
    const MODELS = "model Author {\n id Int @id @default(autoincrement())\n name String @unique\n}\n";
    const schemaOf = (models: string) => ({
      path: "schema.prisma",
      content: `datasource db {\n provider = "postgresql"\n}\n${models}`,
    });
    const filters = { externalTables: [], externalEnums: [] };
    const listOf = (migrations: { name: string; script: string }[]) => ({
      baseDir: "/migrations",
      lockfile: { path: "migration_lock.toml", content: 'provider = "postgresql"' },
      shadowDbInitScript: "",
      migrationDirectories: migrations.map(({ name, script }) => ({
        path: name,
        migrationFile: { path: "migration.sql", content: { tag: "ok" as const, value: script } },
      })),
    });

    /** What `prisma migrate dev` does. */
    async function migrateDev(
      url: string,
      shadowUrl: string | undefined,
      migrations: { name: string; script: string }[],
      models: string,
    ) {
      const schema = schemaOf(models);
      return withSchemaEngine(
        url,
        async (engine) => {
          const { action } = await engine.devDiagnostic({ migrationsList: listOf(migrations), filters });
          const { generatedMigrationName, migrationScript } = await engine.createMigration({
            migrationsList: listOf(migrations),
            migrationName: "change",
            draft: false,
            schema: { files: [schema] },
            filters,
          });
          const next = [
            ...migrations,
            { name: `${migrations.length}_${generatedMigrationName}`, script: migrationScript ?? "" },
          ];
          const { appliedMigrationNames } = await engine.applyMigrations({
            migrationsList: listOf(next),
            filters,
          });
          return { action: action.tag, next, applied: appliedMigrationNames.length };
        },
        { schema, shadowUrl },
      );
    }

    it("migrates with a second database as its shadow database, again and again", async () => {
      const [database, shadow] = [await cluster.makeDatabase(), await cluster.makeDatabase()];
      const [{ url }, { url: shadowUrl }] = [await cluster.connect(database), await cluster.connect(shadow)];
      const first = await migrateDev(url, shadowUrl, [], MODELS);
      expect(first).toMatchObject({ action: "createMigration", applied: 1 });
      const second = await migrateDev(url, shadowUrl, first.next, `${MODELS}enum Kind {\n A\n B\n}\n`);
      expect(second).toMatchObject({ action: "createMigration", applied: 1 });
      await query(url, `INSERT INTO "Author" (name) VALUES ('Ada')`);
      expect(await query(url, `SELECT name FROM "Author"`)).toEqual([{ name: "Ada" }]);
    });

    it("cannot create a shadow database itself, and says so", async () => {
      const { url } = await cluster.connect(await cluster.makeDatabase());
      await expect(migrateDev(url, undefined, [], MODELS)).rejects.toThrow(
        /permission denied to create database|DatabaseAccessDenied|P3014/i,
      );
    });

    it("pushes a schema without a shadow database", async () => {
      const { url } = await cluster.connect(await cluster.makeDatabase());
      const schema = schemaOf(MODELS);
      const push = (models: string, force: boolean) =>
        withSchemaEngine(
          url,
          (engine) => engine.schemaPush({ force, schema: { files: [schemaOf(models)] }, filters }),
          { schema },
        );
      expect(await push(MODELS, false)).toMatchObject({ unexecutable: [] });
      expect(await push("model Book {\n id Int @id\n}\n", true)).toMatchObject({ unexecutable: [] });
    });
  });

  describe("SQLAlchemy with Alembic", () => {
    const python = ["python3", "/usr/bin/python3"].find((command) =>
      works(command, "-c", "import alembic, psycopg2, sqlalchemy"),
    );
    if (python === undefined) {
      it("is not installed", notInstalled("alembic python3-psycopg2"));
      return;
    }
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "platform-embed-alembic-"));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    const MODELS = `
from sqlalchemy import Column, Enum, ForeignKey, Integer, String
from sqlalchemy.orm import declarative_base, relationship
Base = declarative_base()
class Author(Base):
    __tablename__ = "author"
    id = Column(Integer, primary_key=True)
    name = Column(String, nullable=False, unique=True)
class Book(Base):
    __tablename__ = "book"
    id = Column(Integer, primary_key=True)
    kind = Column(Enum("novel", "poem", name="kind"))
    author_id = Column(ForeignKey("author.id"))
    author = relationship(Author)
`;
    it("makes a migration from the models, applies it, works, and takes it back", async () => {
      const { url } = await cluster.connect(await cluster.makeDatabase());
      const alembic = (...words: string[]) => run(python, ["-m", "alembic", ...words], { cwd: folder });
      await alembic("init", "alembic");
      await writeFile(join(folder, "models.py"), MODELS);
      await writeFile(
        join(folder, "alembic/env.py"),
        `from alembic import context
from sqlalchemy import create_engine
from models import Base
with create_engine(${JSON.stringify(url)}).connect() as connection:
    context.configure(connection=connection, target_metadata=Base.metadata)
    with context.begin_transaction():
        context.run_migrations()
`,
      );
      await alembic("revision", "--autogenerate", "-m", "first");
      await alembic("upgrade", "head");
      await run(
        python,
        [
          "-c",
          `from sqlalchemy import create_engine
from sqlalchemy.orm import Session
from models import Author, Book
with Session(create_engine(${JSON.stringify(url)})) as session:
    session.add(Book(kind="novel", author=Author(name="Ada")))
    session.commit()
`,
        ],
        { cwd: folder, env: { ...process.env, PYTHONPATH: folder } },
      );
      expect(await query(url, "SELECT kind::text FROM book")).toEqual([{ kind: "novel" }]);
      await alembic("downgrade", "base");
      expect((await ownersIn(url)).map(({ name }) => name)).toEqual(["public.alembic_version"]);
    });
  });

  it("what several logins make belongs to one role, also after they were rotated and removed", async () => {
    const database = await cluster.makeDatabase();
    const [one, two] = [await cluster.connect(database), await cluster.connect(database)];
    const owner = await currentUser(one.url);
    await query(one.url, "CREATE TABLE by_one (id int)");
    await query(two.url, "CREATE TABLE by_two (id int)");
    // As pools do between two users of a session.
    await query(two.url, "DISCARD ALL");
    const { user, url } = await rotateCredential(database.id, one.user, cluster.tools);
    const renewed = String(url);
    await query(renewed, "CREATE SCHEMA later CREATE TABLE by_three (id int)");
    await query(renewed, "ALTER TABLE by_two ADD COLUMN text text");
    for (const login of [one.user, two.user])
      expect(await removeCredential(database.id, login, cluster.tools)).toMatchObject({ isDone: true });
    expect(await ownersIn(renewed)).toEqual(
      ["later.by_three", "public.by_one", "public.by_two"].map((name) => ({ name, owner })),
    );
    for (const table of ["later.by_three", "by_one", "by_two"]) await query(renewed, `DROP TABLE ${table}`);
    expect(await currentUser(renewed)).toBe(owner);
    expect(user).not.toBe(one.user);
  });

  it("a login hands over what it made when it had given up the owner's role", async () => {
    const database = await cluster.makeDatabase();
    const [one, two] = [await cluster.connect(database), await cluster.connect(database)];
    const owner = await currentUser(one.url);
    await query(one.url, "SET ROLE NONE; CREATE TABLE public.kept (id int)");
    await expect(query(two.url, "SELECT * FROM kept")).rejects.toMatchObject({ code: "42501" });
    await query(one.url, `SET ROLE NONE; REASSIGN OWNED BY CURRENT_USER TO "${owner}"`);
    expect(await query(two.url, "SELECT * FROM kept")).toEqual([]);
    expect(await ownersIn(two.url)).toEqual([{ name: "public.kept", owner }]);
  });

  it("settings can be put into the URL", async () => {
    const { url } = await cluster.connect(await cluster.makeDatabase());
    const shown = await query(`${url}?options=-c%20statement_timeout%3D5s`, "SHOW statement_timeout");
    expect(shown).toEqual([{ statement_timeout: "5s" }]);
  });

  it.each([
    ["CREATE DATABASE own", "42501"],
    ["CREATE ROLE own", "42501"],
    ["ALTER DATABASE :database SET statement_timeout = '1s'", "42501"],
    ["COMMENT ON DATABASE :database IS 'ours'", "42501"],
    ["CREATE EXTENSION pg_stat_statements", "42501"],
    ["CREATE SUBSCRIPTION s CONNECTION 'host=127.0.0.1' PUBLICATION p", "42501"],
    ["COMMENT ON SCHEMA public IS 'ours'", "done"],
    ["DROP SCHEMA public CASCADE; CREATE SCHEMA public", "done"],
    ["ALTER ROLE :user SET statement_timeout = '1s'", "42501"],
    ["SET ROLE NONE; ALTER ROLE :user IN DATABASE :database SET statement_timeout = '1s'", "done"],
  ])("as the guide says: %s", async (sql, code) => {
    const database = await cluster.makeDatabase();
    const { user, url } = await cluster.connect(database);
    const statement = sql.replaceAll(":database", database.name).replaceAll(":user", user);
    const result = await query(url, statement).then(
      () => "done",
      (error: { code?: string }) => error.code,
    );
    expect(result).toBe(code);
  });
});

describe("in a cluster of another version", () => {
  const programs = findDebianPostgres();
  if (programs === undefined) {
    it("is not installed", notInstalled("postgresql"));
    return;
  }
  let server: DebianPostgres;
  let cluster: Awaited<ReturnType<typeof connectCluster>>;
  beforeAll(async () => {
    server = await startDebianPostgres(programs);
    await query(server.url, "REVOKE ALL ON DATABASE postgres FROM PUBLIC");
    cluster = await connectCluster(server.url);
  });
  afterAll(async () => {
    await cluster?.close();
    await server?.stop();
  });

  const program = (name: string, ...words: string[]) => run(join(programs, name), words);
  const urlOf = (name: string) => Object.assign(new URL(server.url), { pathname: `/${name}` }).href;

  it("ten requests at once, for ten databases and for one, get what they ask for", async () => {
    const create = (name: string) => createClusterDatabase({ companyId, name, region }, cluster.tools);
    const one = freshName();
    const names = [...Array.from({ length: 10 }, freshName), ...Array(10).fill(one)];
    const created = await Promise.all(names.map(create));
    expect(created.map(({ resource }) => [resource.name, resource.status])).toEqual(
      names.map((name) => [name, "active"]),
    );
  });

  describe("pg_dump and pg_restore", () => {
    let dump: string;
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "platform-embed-dump-"));
      dump = join(folder, "elsewhere.dump");
      // A database from elsewhere, with an owner whom nobody knows here.
      for (const sql of ["CREATE ROLE elsewhere", "CREATE DATABASE elsewhere OWNER elsewhere"])
        await query(server.url, sql);
      await query(
        urlOf("elsewhere"),
        `SET ROLE elsewhere;
         CREATE EXTENSION citext;
         CREATE SCHEMA shop;
         CREATE TYPE shop.kind AS ENUM ('pen', 'ink');
         CREATE TABLE shop.item (id serial PRIMARY KEY, name citext NOT NULL, kind shop.kind);
         CREATE TABLE sale (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item_id int REFERENCES shop.item);
         CREATE VIEW names AS SELECT name FROM shop.item;
         CREATE MATERIALIZED VIEW counts AS SELECT count(*) FROM shop.item;
         CREATE FUNCTION twice(int) RETURNS int LANGUAGE sql AS 'SELECT $1 * 2';
         INSERT INTO shop.item (name, kind) VALUES ('Pen', 'pen');
         INSERT INTO sale (item_id) VALUES (1);
         GRANT SELECT ON shop.item TO PUBLIC;
         COMMENT ON SCHEMA public IS 'ours';
         SELECT lo_from_bytea(4711, 'hello')`,
      );
      await program("pg_dump", "--format=custom", `--file=${dump}`, urlOf("elsewhere"));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    const restore = (url: string, ...words: string[]) =>
      program("pg_restore", "--no-owner", "--no-acl", "--single-transaction", `--dbname=${url}`, ...words);

    it("restore a dump from elsewhere, and everything belongs to the database's owner", async () => {
      const { url } = await cluster.connect(await cluster.makeDatabase());
      expect(await restore(url, dump)).toEqual({ stdout: "", stderr: "" });
      expect(await query(url, "SELECT twice(2), name FROM names")).toEqual([{ twice: 4, name: "Pen" }]);
      const owner = await currentUser(url);
      expect(new Set((await ownersIn(url)).map((one) => one.owner))).toEqual(new Set([owner]));
      // Over what is there.
      expect(await restore(url, "--clean", "--if-exists", dump)).toEqual({ stdout: "", stderr: "" });
    });

    it("without --no-owner restore everything, too, and complain of the owner", async () => {
      const { url } = await cluster.connect(await cluster.makeDatabase());
      const restoring = program("pg_restore", `--dbname=${url}`, dump);
      await expect(restoring).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining("errors ignored"),
      });
      expect(await query(url, "SELECT name FROM names")).toEqual([{ name: "Pen" }]);
    });

    it("dump by one login what several have made, and restore it into another database", async () => {
      const [from, to] = [await cluster.makeDatabase(), await cluster.makeDatabase()];
      const [one, two] = [await cluster.connect(from), await cluster.connect(from)];
      await restore(one.url, dump);
      await query(two.url, "CREATE TABLE by_two AS SELECT 2 AS id");
      const copy = join(folder, "copy.dump");
      expect(await program("pg_dump", "--format=custom", `--file=${copy}`, one.url)).toEqual({
        stdout: "",
        stderr: "",
      });
      const { url } = await cluster.connect(to);
      expect(await restore(url, copy)).toEqual({ stdout: "", stderr: "" });
      expect(
        await query(url, "SELECT id, (SELECT count(*)::int FROM shop.item) AS items FROM by_two"),
      ).toEqual([{ id: 2, items: 1 }]);
      expect(await query(url, "SELECT convert_from(lo_get(4711), 'UTF8') AS text")).toEqual([
        { text: "hello" },
      ]);
    });
  });

  it("trusted extensions can be created, others not", async () => {
    const { url } = await cluster.connect(await cluster.makeDatabase());
    for (const name of ["pgcrypto", "citext", "pg_trgm", "hstore", "uuid-ossp"])
      await query(url, `CREATE EXTENSION "${name}"`);
    await expect(query(url, "CREATE EXTENSION pg_stat_statements")).rejects.toMatchObject({ code: "42501" });
  });
});
