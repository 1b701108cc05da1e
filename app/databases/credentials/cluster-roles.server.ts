/**
 * The roles of one database in its cluster. One role without login owns what is made in the database; each credential is a login that acts
 * as this role. So every credential can use what another has made, and nothing is lost when one is removed. docs/decisions/0124
 *
 * Every function can be repeated: what exists already, or is gone already, is left as it is.
 */
import { type Cluster, type DataApi, quoteIdentifier, quoteLiteral } from "../../providers/data-api.server";
import type { CallContext } from "../../shared/request-context.server";

/** A database in its cluster, and the role that owns what is made in it. */
export interface RoleTarget {
  cluster: Cluster;
  /** the database's name */
  database: string;
  owner: string;
}

interface RoleTools {
  dataApi: Pick<DataApi, "run">;
  context?: CallContext;
}

/** SQLSTATE. PostgreSQL, "PostgreSQL Error Codes" */
const DUPLICATE_OBJECT = "42710";
const UNDEFINED_OBJECT = "42704";

/** Takes from everybody else the right to connect, which PostgreSQL gives by default. @throws AppError as `DataApi.run` */
export async function closeToPublic(
  target: Pick<RoleTarget, "cluster" | "database">,
  tools: RoleTools,
): Promise<void> {
  await run(target, tools, `REVOKE ALL ON DATABASE ${quoteIdentifier(target.database)} FROM PUBLIC`);
}

/** Makes the owner role, and takes from everybody else the right to connect. @throws AppError as `DataApi.run` */
export async function closeDatabase(target: RoleTarget, tools: RoleTools): Promise<void> {
  const [database, owner] = [quoteIdentifier(target.database), quoteIdentifier(target.owner)];
  await run(target, tools, `CREATE ROLE ${owner} NOLOGIN`, { unless: DUPLICATE_OBJECT });
  await closeToPublic(target, tools);
  await run(target, tools, `GRANT ALL ON DATABASE ${database} TO ${owner}`);
  await run(target, tools, `GRANT ALL ON SCHEMA public TO ${owner}`, { inside: true });
}

/** Makes a login. @param verifier as `scramVerifier` returns it @throws AppError as `DataApi.run` */
export async function createLogin(
  target: RoleTarget,
  { user, verifier }: { user: string; verifier: string },
  tools: RoleTools,
): Promise<void> {
  const [database, owner, login] = [target.database, target.owner, user].map(quoteIdentifier);
  await run(target, tools, `CREATE ROLE ${login} LOGIN PASSWORD ${quoteLiteral(verifier)} IN ROLE ${owner}`, {
    unless: DUPLICATE_OBJECT,
  });
  // Sessions begin as the owner, so that what they make belongs to it.
  await run(
    target,
    tools,
    `ALTER ROLE ${login} IN DATABASE ${database} SET role TO ${quoteLiteral(target.owner)}`,
  );
}

/** From then on the login opens no session. Those that are open stay. @throws AppError as `DataApi.run` */
export async function expireLogin(
  target: RoleTarget,
  { user, at }: { user: string; at: Date },
  tools: RoleTools,
): Promise<void> {
  await run(
    target,
    tools,
    `ALTER ROLE ${quoteIdentifier(user)} VALID UNTIL ${quoteLiteral(at.toISOString())}`,
    { unless: UNDEFINED_OBJECT },
  );
}

/** Ends the login's sessions, and removes it. What it has made stays, and belongs to the owner. @throws AppError as `DataApi.run` */
export async function removeLogin(target: RoleTarget, user: string, tools: RoleTools): Promise<void> {
  const [login, owner] = [user, target.owner].map(quoteIdentifier);
  const unless = UNDEFINED_OBJECT;
  await endSessions(target, user, tools);
  await run(target, tools, `REASSIGN OWNED BY ${login} TO ${owner}`, { inside: true, unless });
  await run(target, tools, `DROP OWNED BY ${login}`, { inside: true, unless });
  await run(target, tools, `DROP ROLE IF EXISTS ${login}`);
}

/**
 * Drops the database with all its contents, and then its roles. Sessions are ended.
 * @param logins all of the database
 * @throws AppError as `DataApi.run`
 */
export async function dropDatabaseWithRoles(
  target: RoleTarget,
  logins: readonly string[],
  tools: RoleTools & { dataApi: Pick<DataApi, "dropDatabase"> },
): Promise<void> {
  for (const login of logins) await endSessions(target, login, tools);
  await tools.dataApi.dropDatabase(target.cluster, target.database, tools.context);
  for (const role of [...logins, target.owner])
    await run(target, tools, `DROP ROLE IF EXISTS ${quoteIdentifier(role)}`);
}

/** From then on the login opens no session, and has none. */
async function endSessions(target: RoleTarget, user: string, tools: RoleTools): Promise<void> {
  const [login, owner] = [user, target.owner].map(quoteIdentifier);
  const unless = UNDEFINED_OBJECT;
  await run(target, tools, `ALTER ROLE ${login} NOLOGIN`, { unless });
  // Whoever is not a superuser may end sessions and hand over objects only of roles that they are a member of.
  await run(target, tools, `GRANT ${login}, ${owner} TO CURRENT_USER`, { unless });
  await run(
    target,
    tools,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ${quoteLiteral(user)}`,
  );
}

/** @param options `inside`: in the database itself; `unless`: the SQLSTATE that means that there is nothing to do */
async function run(
  { cluster, database }: Pick<RoleTarget, "cluster" | "database">,
  { dataApi, context }: RoleTools,
  sql: string,
  { inside = false, unless }: { inside?: boolean; unless?: string } = {},
): Promise<void> {
  await dataApi.run(cluster, sql, { database: inside ? database : undefined, unless }, context);
}
