/**
 * The SQL that is run in clusters. Customers create functions, operators, types and tables in their databases, and in some clusters also in
 * the default database. PostgreSQL prefers such a function to its own if its arguments fit better, and would run it with the rights of the
 * cluster's user. So no statement looks a name up where a customer may create one:
 *
 * - Queries name the schema of everything: functions, relations, types and operators.
 * - All other statements run in `pinned`, except CREATE DATABASE and DROP DATABASE, which cannot run in a transaction and contain only the
 *   name of the database.
 *
 * A test reads the statements that were sent: tests/integration/hostile-databases.test.ts. docs/guide/security.md#databases-of-customers
 */

export const EQUALS = "OPERATOR(pg_catalog.=)";

/** The parameter, with PostgreSQL's type for names of databases and roles. */
export const asName = (parameter: string) => `CAST(:${parameter} AS pg_catalog.name)`;

/** Whether everybody who has a role in the cluster may connect. @param database the alias of a row of `pg_database` */
export const openToPublic = (database: string) =>
  `pg_catalog.has_database_privilege(CAST('public' AS pg_catalog.name), ${database}.oid, CAST('CONNECT' AS pg_catalog.text))`;

/**
 * One statement that runs others in a transaction of its own, in which names are PostgreSQL's own.
 * @param statements PL/pgSQL, separated by semicolons. PL/pgSQL parses each one when it is its turn, after the search path was set. Types
 *   of variables are looked up before that, so none may be declared.
 * @param lockTimeoutSeconds how long each waits for a lock, until the error 55P03
 */
export function pinned(statements: string, lockTimeoutSeconds: number): string {
  const settings = `SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL lock_timeout = '${lockTimeoutSeconds}s'`;
  return `DO ${quoteLiteral(`BEGIN ${settings}; ${statements}; END`)}`;
}

/** PostgreSQL, "String Constants". Without backslashes it means the same whatever `standard_conforming_strings` is. */
export function quoteLiteral(text: string): string {
  if (text.includes("\\")) throw new TypeError("A backslash is not expected here.");
  return `'${text.replaceAll("'", "''")}'`;
}

/** PostgreSQL, "Identifiers and Key Words". */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
