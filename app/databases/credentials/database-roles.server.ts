/**
 * The roles of one database in its cluster. One role without login owns what is made in the database; each credential is a login that acts
 * as this role. So every credential can use what another has made, and nothing is lost when one is removed. docs/decisions/0124
 *
 * Every function can be repeated: what exists already, or is gone already, is left as it is.
 */
import type { ClientResource } from "../../../prisma/generated/client";
import { quoteIdentifier, quoteLiteral } from "../../providers/cluster-sql";
import type { Cluster, DataApi, DatabaseState } from "../../providers/rds-data-api.server";
import { AppError } from "../../shared/app-error";
import type { CallContext } from "../../shared/request-context.server";

/** A database in its cluster, and the role that owns what is made in it. */
export interface RoleTarget {
  cluster: Cluster;
  /** the database's name */
  database: string;
  owner: string;
}

type Place = Pick<RoleTarget, "cluster" | "database">;

interface RoleTools {
  dataApi: Pick<DataApi, "run">;
  context?: CallContext | undefined;
}

// SQLSTATEs: PostgreSQL, "PostgreSQL Error Codes"
const ROLE_EXISTS = "42710";
const UNDEFINED_OBJECT = "42704";
const DEPENDENT_OBJECTS = "2BP01";
const LOCK_NOT_AVAILABLE = "55P03";
const INSUFFICIENT_PRIVILEGE = "42501";

/** For statements that a session can hold up for ever, and that can be left for later. Longer than they take without one. */
const SHORT_LOCK_TIMEOUT_SECONDS = 2;
/** When an idle transaction ends. It is a default: programs can set another value for their sessions. */
export const IDLE_TRANSACTION_SECONDS = 600;
/** PostgreSQL cuts longer names off. */
const MAX_ROLE_LENGTH = 63;

interface PreparingTools extends RoleTools {
  dataApi: Pick<DataApi, "run" | "describeDatabase">;
}

interface EndingTools extends RoleTools {
  dataApi: Pick<DataApi, "run" | "findOpeningSessions">;
}

/** The database of a record, and the role that owns what is made in it. */
export function roleTargetOf({ id, name, externalId }: ClientResource, cluster: Cluster): RoleTarget {
  const database = externalId ?? name;
  return { cluster, database, owner: roleName(database, `owner_${id.slice(-8)}`) };
}

/** A role's name that begins with the database's, as far as there is room. PostgreSQL keeps names that begin with `pg_` for itself. */
export function roleName(database: string, end: string): string {
  const start = database.startsWith("pg_") ? `db_${database}` : database;
  return `${start.slice(0, MAX_ROLE_LENGTH - end.length - 1)}_${end}`;
}

/**
 * Takes from everybody else the right to connect, which PostgreSQL gives by default.
 * @throws AppError as `DataApi.run`; `provider_failed` if the database belongs to a role whose rights the cluster's secret does not have:
 *   then PostgreSQL only warns
 */
export async function closeToPublic(target: Place, tools: PreparingTools): Promise<void> {
  if (!(await describe(target, tools)).isOpenToPublic) return;
  await run(target, tools, revokeFromPublic(target));
  if ((await describe(target, tools)).isOpenToPublic) throw belongsToOther(target);
}

/**
 * Closes a database to everybody else, limits what its sessions may take of the cluster, and makes the role that owns what is made in it.
 * Nothing runs inside the database once a customer may connect to it: the grant to the owner comes last, and only logins that act as the
 * owner can connect.
 * @returns whether the cluster lets its user limit temporary files
 * @throws AppError as `closeToPublic`
 */
export async function prepareDatabase(target: RoleTarget, tools: PreparingTools): Promise<boolean> {
  const state = await describe(target, tools);
  const { temporaryFileLimit } = isRestricted(state, target) ? state : await restrict(target, tools);
  if (!state.isGrantedToOwner) await handToOwner(target, tools);
  return temporaryFileLimit !== null;
}

/** Closes the database, and limits it as the settings say by now. @throws AppError as `closeToPublic` */
export async function restrict(target: RoleTarget, tools: PreparingTools): Promise<DatabaseState> {
  const { connections } = target.cluster.limits;
  const alter = `ALTER DATABASE ${quoteIdentifier(target.database)}`;
  const statements = [
    revokeFromPublic(target),
    `${alter} CONNECTION LIMIT ${connections}`,
    `${alter} SET idle_in_transaction_session_timeout = '${IDLE_TRANSACTION_SECONDS}s'`,
    // Only superusers, and those whom they allow it, may set this one.
    `BEGIN ${alter} SET temp_file_limit = '${temporaryFileLimitOf(target)}'; EXCEPTION WHEN insufficient_privilege THEN NULL; END`,
  ];
  await run(target, tools, statements.join("; "), { unless: INSUFFICIENT_PRIVILEGE });
  const state = await describe(target, tools);
  if (!isRestricted(state, target)) throw belongsToOther(target);
  return state;
}

function isRestricted(state: DatabaseState, target: RoleTarget): boolean {
  const { isOpenToPublic, maxConnections, temporaryFileLimit } = state;
  return (
    !isOpenToPublic &&
    maxConnections === target.cluster.limits.connections &&
    [null, temporaryFileLimitOf(target)].includes(temporaryFileLimit)
  );
}

/** PostgreSQL's notation. */
const temporaryFileLimitOf = ({ cluster }: RoleTarget) => `${cluster.limits.temporaryFileGb}GB`;

/** Makes the owner, and gives it the schema `public`, while nobody else can connect yet. */
async function handToOwner(target: RoleTarget, tools: RoleTools): Promise<void> {
  const [database, owner] = [target.database, target.owner].map(quoteIdentifier);
  await run(target, tools, `CREATE ROLE ${owner} NOLOGIN`, { unless: ROLE_EXISTS });
  // Whoever is not a superuser may hand over a schema only to a role that they can become.
  await run(
    target,
    tools,
    `GRANT ${owner} TO CURRENT_USER; ALTER DATABASE ${database} ALLOW_CONNECTIONS true`,
  );
  // Before version 15, `public` belongs to the superuser, and everybody may create in it.
  await run(target, tools, `ALTER SCHEMA public OWNER TO ${owner}`, {
    inside: true,
    unless: INSUFFICIENT_PRIVILEGE,
  });
  await run(target, tools, `GRANT ALL ON DATABASE ${database} TO ${owner}`);
}

async function describe(
  { cluster, database, owner }: Place & { owner?: string },
  { dataApi, context }: PreparingTools,
): Promise<DatabaseState> {
  const state = await dataApi.describeDatabase(cluster, { name: database, owner }, context);
  if (state !== null) return state;
  throw new AppError("provider_failed", "The database cluster does not have this database.", {
    logDetail: `${database} is recorded as active, and missing in its cluster`,
  });
}

const revokeFromPublic = ({ database }: Place) =>
  `REVOKE ALL ON DATABASE ${quoteIdentifier(database)} FROM PUBLIC`;

function belongsToOther({ database }: Place): AppError {
  return new AppError("provider_failed", "The database cluster did not close the database to others.", {
    logDetail: `${database} belongs to another role than the one in the cluster's secret`,
  });
}

/** Makes a login. @param verifier as `scramVerifier` returns it @throws AppError as `DataApi.run` */
export async function createLogin(
  target: RoleTarget,
  { user, verifier }: { user: string; verifier: string },
  tools: RoleTools,
): Promise<void> {
  const [database, owner, login] = [target.database, target.owner, user].map(quoteIdentifier);
  const { connections } = target.cluster.limits;
  const statements = [
    `CREATE ROLE ${login} LOGIN CONNECTION LIMIT ${connections} PASSWORD ${quoteLiteral(verifier)} IN ROLE ${owner}`,
    // Sessions begin as the owner, so that what they make belongs to it.
    `ALTER ROLE ${login} IN DATABASE ${database} SET role TO ${quoteLiteral(target.owner)}`,
  ];
  await run(target, tools, statements.join("; "), { unless: ROLE_EXISTS });
}

/** From then on the login opens no session. Those that are open stay. @throws AppError as `DataApi.run` */
export async function expireLogin(
  target: RoleTarget,
  { user, at }: { user: string; at: Date },
  tools: RoleTools,
): Promise<void> {
  const expire = `ALTER ROLE ${quoteIdentifier(user)} VALID UNTIL ${quoteLiteral(at.toISOString())}`;
  await run(target, tools, expire, {
    unless: UNDEFINED_OBJECT,
    lockTimeoutSeconds: SHORT_LOCK_TIMEOUT_SECONDS,
  });
}

/**
 * From then on the login opens no session, and has none, or one that ends with the statement that it is running.
 * @throws AppError as `DataApi.run`
 */
export async function endLogin(target: RoleTarget, user: string, tools: EndingTools): Promise<void> {
  const [login, owner] = [user, target.owner].map(quoteIdentifier);
  const unless = UNDEFINED_OBJECT;
  const terminate = `PERFORM pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity WHERE usename = ${quoteLiteral(user)}`;
  // Whoever is not a superuser may end sessions and hand over objects only of roles that they are a member of.
  await run(target, tools, `GRANT ${login}, ${owner} TO CURRENT_USER`, { unless });
  // Before and after: a session that is changing its own password makes ALTER ROLE wait until it ends.
  await run(target, tools, terminate);
  // Only the owner may connect. A session cannot hold this up, but ALTER ROLE: some expressions compute for hours before PostgreSQL ends them.
  await run(target, tools, `REVOKE ${owner} FROM ${login}`, { unless });
  await run(target, tools, revokeAllFrom(user));
  await run(target, tools, `ALTER ROLE ${login} NOLOGIN`, {
    unless: [unless, LOCK_NOT_AVAILABLE],
    lockTimeoutSeconds: SHORT_LOCK_TIMEOUT_SECONDS,
  });
  await endOpeningSessions(target, tools);
  await run(target, tools, terminate);
}

/**
 * Ends what a login has through other roles. Before PostgreSQL 15, every login may grant itself to others in its own session (release notes of 15,
 * "Remove the default ADMIN OPTION of a login role's own role membership"): another login of the database may have done so, and the owner's
 * right to connect would come back by it.
 */
const revokeAllFrom = (user: string) => `EXECUTE coalesce((
  SELECT string_agg(format('REVOKE %I FROM %I', granted.rolname, login.rolname), '; ')
  FROM pg_auth_members JOIN pg_roles AS granted ON granted.oid = roleid JOIN pg_roles AS login ON login.oid = member
  WHERE login.rolname = ${quoteLiteral(user)}), 'SELECT')`;

/**
 * Ends the sessions that the login is opening. A login can make this take long, with settings of its own that PostgreSQL has to check. The
 * cluster does not say whose they are, so a superuser ends those of the database's other logins, too; their programs have to connect again.
 */
async function endOpeningSessions(target: RoleTarget, tools: EndingTools): Promise<void> {
  const { cluster, database } = target;
  const pids = await tools.dataApi.findOpeningSessions(cluster, database, tools.context);
  if (pids.length === 0) return;
  // Whoever is not a superuser may not end those of others. The login's own can be ended: `endLogin` has granted it.
  const terminations = pids.map(
    (pid) =>
      `BEGIN PERFORM pg_catalog.pg_terminate_backend(${pid}); EXCEPTION WHEN insufficient_privilege THEN NULL; END`,
  );
  await run(target, tools, terminations.join("; "));
}

/**
 * Removes a login that was ended. What it has made stays, and belongs to the owner. Other sessions of the database can hold this up, with
 * their locks or by taking all its connections: then it has to be repeated.
 *
 * Nothing else runs inside a customer's database. PostgreSQL hands objects over only from inside. Acting as the login there would protect
 * nothing: whoever gets to run a statement can reset the role.
 * @throws AppError as `DataApi.run`
 */
export async function dropLogin(target: RoleTarget, user: string, tools: RoleTools): Promise<void> {
  const [login, owner] = [user, target.owner].map(quoteIdentifier);
  await run(target, tools, `REASSIGN OWNED BY ${login} TO ${owner}; DROP OWNED BY ${login}`, {
    inside: true,
    unless: UNDEFINED_OBJECT,
    lockTimeoutSeconds: SHORT_LOCK_TIMEOUT_SECONDS,
  });
  await dropRoles(target, [user], tools);
}

/**
 * Drops roles that no longer own anything. One to which somebody has granted rights in another database, or is granting some in an open
 * transaction, stays, without login and without password: anybody can grant something to any role, and that must not keep a login or a
 * database from being removed.
 * @throws AppError as `DataApi.run`
 */
export async function dropRoles(target: Place, roles: readonly string[], tools: RoleTools): Promise<void> {
  for (const role of roles.map(quoteIdentifier)) {
    await run(target, tools, `ALTER ROLE ${role} NOLOGIN PASSWORD NULL`, {
      unless: UNDEFINED_OBJECT,
      lockTimeoutSeconds: SHORT_LOCK_TIMEOUT_SECONDS,
    });
    await run(target, tools, `DROP ROLE IF EXISTS ${role}`, {
      unless: [DEPENDENT_OBJECTS, LOCK_NOT_AVAILABLE],
      lockTimeoutSeconds: SHORT_LOCK_TIMEOUT_SECONDS,
    });
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
  tools: EndingTools & { dataApi: Pick<DataApi, "dropDatabase"> },
): Promise<void> {
  for (const login of logins) await endLogin(target, login, tools);
  await tools.dataApi.dropDatabase(target.cluster, target.database, tools.context);
  await dropRoles(target, [...logins, target.owner], tools);
}

interface RunOptions {
  /** in the database itself */
  inside?: boolean;
  /** the SQLSTATEs that mean that there is nothing to do */
  unless?: string | readonly string[];
  lockTimeoutSeconds?: number;
}

async function run(
  { cluster, database }: Place,
  { dataApi, context }: RoleTools,
  statements: string,
  { inside = false, ...options }: RunOptions = {},
): Promise<void> {
  await dataApi.run(cluster, statements, { ...options, database: inside ? database : undefined }, context);
}
