/**
 * The roles of one database in its cluster. One role without login owns what is made in the database; each credential is a login that acts
 * as this role. So every credential can use what another has made, and nothing is lost when one is removed. docs/decisions/0124
 *
 * Every function can be repeated: what exists already, or is gone already, is left as it is.
 */
import { type Cluster, type DataApi, quoteIdentifier, quoteLiteral } from "../../providers/data-api.server";
import { AppError } from "../../shared/app-error";
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
  context?: CallContext | undefined;
}

// SQLSTATEs: PostgreSQL, "PostgreSQL Error Codes"
/** the second one if another statement has created the role at the same moment */
const ROLE_EXISTS = ["42710", "23505"];
const UNDEFINED_OBJECT = "42704";
const DEPENDENT_OBJECTS = "2BP01";
const LOCK_NOT_AVAILABLE = "55P03";
/** PostgreSQL's notation. Longer than any statement about roles takes. */
const LOCK_TIMEOUT = "2s";

/** The statement, which gives up (55P03) if a session keeps the lock that it needs. */
const withLockTimeout = (sql: string) =>
  `DO ${quoteLiteral(`BEGIN SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'; ${sql}; END`)}`;

export interface ClosingTools extends RoleTools {
  dataApi: Pick<DataApi, "run" | "isOpenToPublic">;
}

/**
 * Takes from everybody else the right to connect, which PostgreSQL gives by default.
 * @throws AppError as `DataApi.run`; `provider_failed` if the database belongs to a role whose rights the cluster's secret does not have:
 *   then PostgreSQL only warns
 */
export async function closeToPublic(
  target: Pick<RoleTarget, "cluster" | "database">,
  tools: ClosingTools,
): Promise<void> {
  const { cluster, database } = target;
  const isOpen = () => tools.dataApi.isOpenToPublic(cluster, database, tools.context);
  if (!(await isOpen())) return;
  await run(target, tools, `REVOKE ALL ON DATABASE ${quoteIdentifier(database)} FROM PUBLIC`);
  if (await isOpen())
    throw new AppError("provider_failed", "The database cluster did not close the database to others.", {
      logDetail: `${database} belongs to another role than the one in the cluster's secret`,
    });
}

/** Closes a new database to everybody else, and only then lets anybody connect to it. @throws AppError as `closeToPublic` */
export async function openNewDatabase(
  target: Pick<RoleTarget, "cluster" | "database">,
  tools: ClosingTools,
): Promise<void> {
  await closeToPublic(target, tools);
  await run(target, tools, `ALTER DATABASE ${quoteIdentifier(target.database)} ALLOW_CONNECTIONS true`);
}

/** Makes the owner role, and takes from everybody else the right to connect. @throws AppError as `closeToPublic` */
export async function closeDatabase(target: RoleTarget, tools: ClosingTools): Promise<void> {
  const [database, owner] = [quoteIdentifier(target.database), quoteIdentifier(target.owner)];
  await run(target, tools, `CREATE ROLE ${owner} NOLOGIN`, { unless: ROLE_EXISTS });
  await closeToPublic(target, tools);
  const [ownerText, databaseText] = [quoteLiteral(target.owner), quoteLiteral(target.database)];
  await run(
    target,
    tools,
    grantUnless(
      `has_database_privilege(${ownerText}, ${databaseText}, 'CREATE')`,
      `GRANT ALL ON DATABASE ${database} TO ${owner}`,
    ),
  );
  await run(
    target,
    tools,
    grantUnless(
      `has_schema_privilege(${ownerText}, 'public', 'CREATE')`,
      `GRANT ALL ON SCHEMA public TO ${owner}`,
    ),
    { inside: true },
  );
}

/** Granting again would wait for a session of the database that is changing the same rights, and that may stay idle for ever. */
const grantUnless = (isGranted: string, grant: string) =>
  `DO ${quoteLiteral(`BEGIN IF NOT ${isGranted} THEN ${grant}; END IF; END`)}`;

/** Makes a login. @param verifier as `scramVerifier` returns it @throws AppError as `DataApi.run` */
export async function createLogin(
  target: RoleTarget,
  { user, verifier }: { user: string; verifier: string },
  tools: RoleTools,
): Promise<void> {
  const [database, owner, login] = [target.database, target.owner, user].map(quoteIdentifier);
  await run(target, tools, `CREATE ROLE ${login} LOGIN PASSWORD ${quoteLiteral(verifier)} IN ROLE ${owner}`, {
    unless: ROLE_EXISTS,
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
  const expire = `ALTER ROLE ${quoteIdentifier(user)} VALID UNTIL ${quoteLiteral(at.toISOString())}`;
  await run(target, tools, withLockTimeout(expire), { unless: UNDEFINED_OBJECT });
}

/** Ends the login's sessions, and removes it. What it has made stays, and belongs to the owner. @throws AppError as `DataApi.run` */
export async function removeLogin(target: RoleTarget, user: string, tools: RoleTools): Promise<void> {
  const [login, owner] = [user, target.owner].map(quoteIdentifier);
  const unless = UNDEFINED_OBJECT;
  await endSessions(target, user, tools);
  await run(target, tools, `REASSIGN OWNED BY ${login} TO ${owner}`, { inside: true, unless });
  await run(target, tools, `DROP OWNED BY ${login}`, { inside: true, unless });
  await dropRoles(target, [user], tools);
}

/**
 * Drops roles that no longer own anything. One to which somebody has granted rights in another database, or is granting some in an open
 * transaction, stays, without login and without password: anybody can grant something to any role, and that must not keep a login or a
 * database from being removed.
 * @throws AppError as `DataApi.run`
 */
export async function dropRoles(
  target: Pick<RoleTarget, "cluster" | "database">,
  roles: readonly string[],
  tools: RoleTools,
): Promise<void> {
  for (const role of roles.map(quoteIdentifier)) {
    await run(target, tools, `ALTER ROLE ${role} NOLOGIN PASSWORD NULL`, { unless: UNDEFINED_OBJECT });
    const unless = [DEPENDENT_OBJECTS, LOCK_NOT_AVAILABLE];
    await run(target, tools, withLockTimeout(`DROP ROLE IF EXISTS ${role}`), { unless });
  }
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
  await dropRoles(target, [...logins, target.owner], tools);
}

/** From then on the login opens no session, and has none. */
async function endSessions(target: RoleTarget, user: string, tools: RoleTools): Promise<void> {
  const [login, owner] = [user, target.owner].map(quoteIdentifier);
  const unless = UNDEFINED_OBJECT;
  const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ${quoteLiteral(user)}`;
  // Whoever is not a superuser may end sessions and hand over objects only of roles that they are a member of.
  await run(target, tools, `GRANT ${login}, ${owner} TO CURRENT_USER`, { unless });
  // Before and after: a session that is changing its own password makes ALTER ROLE wait until it ends.
  await run(target, tools, terminate);
  await run(target, tools, `ALTER ROLE ${login} NOLOGIN`, { unless });
  await run(target, tools, terminate);
}

/** @param options `inside`: in the database itself; `unless`: the SQLSTATEs that mean that there is nothing to do */
async function run(
  { cluster, database }: Pick<RoleTarget, "cluster" | "database">,
  { dataApi, context }: RoleTools,
  sql: string,
  { inside = false, unless }: { inside?: boolean; unless?: string | readonly string[] } = {},
): Promise<void> {
  await dataApi.run(cluster, sql, { database: inside ? database : undefined, unless }, context);
}
