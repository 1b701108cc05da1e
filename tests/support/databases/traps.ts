/**
 * Traps in a database: functions, operators, types and relations that have the names of PostgreSQL's own, and count each use by a session
 * of certain users. A customer can make all of them. (Not casts between PostgreSQL's types: those need the ownership of a type.)
 */
import { Client } from "pg";
import { quoteIdentifier, quoteLiteral } from "../../../app/providers/cluster-sql";

export interface TrapOptions {
  /** where to set them */
  schemas: readonly string[];
  /** the words of the statements to trap: what is not a name of PostgreSQL's is passed over */
  names: readonly string[];
  /** whose sessions are counted */
  users: readonly string[];
}

/** How often unknown literals are arguments: such a function is a better match than PostgreSQL's own. */
const MAX_TEXT_ARGUMENTS = 4;

/** Sets the traps, and returns what they are: `function public.has_database_privilege(…)`. @param url for a superuser */
export async function setTraps(url: string, { schemas, names, users }: TrapOptions): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const rows = async <Row extends object>(sql: string, values: unknown[] = []) =>
    (await client.query<Row>(sql, values)).rows;
  try {
    await client.query(`
      CREATE SCHEMA traps; GRANT USAGE ON SCHEMA traps TO PUBLIC;
      CREATE SEQUENCE traps.uses; GRANT ALL ON SEQUENCE traps.uses TO PUBLIC;
      CREATE FUNCTION traps.touch() RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog AS $$ BEGIN
        IF session_user IN (${users.map(quoteLiteral).join(", ")}) THEN PERFORM nextval('traps.uses'); END IF;
        RETURN true;
      END $$;`);
    const functions = await rows<{ name: string; args: string; result: string; isSet: boolean }>(
      `SELECT proname AS name, pg_get_function_arguments(oid) AS args, pg_get_function_result(oid) AS result, proretset AS "isSet"
       FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND proname = ANY ($1)
         AND NOT EXISTS (SELECT FROM unnest(proargtypes) AS argument JOIN pg_type ON pg_type.oid = argument WHERE typtype = 'p')`,
      [names],
    );
    const functionNames = [...new Map(functions.map((one) => [one.name, one])).values()];
    const texts = functionNames.flatMap(({ name, result, isSet }) =>
      Array.from({ length: MAX_TEXT_ARGUMENTS }, (_, index) => ({
        name,
        args: Array(index + 1)
          .fill("text")
          .join(", "),
        result,
        isSet,
      })),
    );
    const relations = await rows<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') AND relname = ANY ($1)",
      [names],
    );
    const types = await rows<{ name: string }>(
      "SELECT typname AS name FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype = 'b' AND typname = ANY ($1)",
      [names],
    );
    const operators = await rows<{ name: string; left: string; right: string }>(
      `SELECT oprname AS name, oprleft::regtype::text AS left, oprright::regtype::text AS right FROM pg_operator
       WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprname = '=' AND oprresult = 'boolean'::regtype
         AND oprleft::regtype::text = ANY ('{name,text,oid,integer,bigint,boolean}')
         AND oprright::regtype::text = ANY ('{name,text,oid,integer,bigint,boolean}')`,
    );
    const set: string[] = [];
    const attempt = async (what: string, sql: string) => {
      // The variant with texts may be one of PostgreSQL's own, which is there already.
      await client.query(sql).then(
        () => set.push(what),
        (error: { code?: string }) => {
          if (error.code !== "42723") throw error;
        },
      );
    };
    for (const schema of schemas) {
      const at = (name: string) => `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${quoteIdentifier(schema)}`);
      await client.query(`GRANT USAGE ON SCHEMA ${quoteIdentifier(schema)} TO PUBLIC`);
      for (const { name, args, result, isSet } of [...functions, ...texts]) {
        const body = isSet
          ? "BEGIN PERFORM traps.touch(); RETURN; END"
          : "BEGIN PERFORM traps.touch(); RETURN NULL; END";
        await attempt(
          `function ${schema}.${name}(${args})`,
          `CREATE FUNCTION ${at(name)}(${args}) RETURNS ${result} LANGUAGE plpgsql AS ${quoteLiteral(body)}`,
        );
      }
      for (const { name, left, right } of operators) {
        const trap = at(`trap ${left} ${right}`);
        await client.query(
          `CREATE FUNCTION ${trap}(${left}, ${right}) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN traps.touch(); END'`,
        );
        await attempt(
          `operator ${schema}.${name}(${left}, ${right})`,
          `CREATE OPERATOR ${quoteIdentifier(schema)}.${name} (LEFTARG = ${left}, RIGHTARG = ${right}, FUNCTION = ${trap})`,
        );
      }
      for (const { name } of types)
        await attempt(
          `type ${schema}.${name}`,
          `CREATE DOMAIN ${at(name)} AS pg_catalog.${quoteIdentifier(name)} CHECK (traps.touch())`,
        );
      for (const { name } of relations) {
        await attempt(
          `view ${schema}.${name}`,
          `CREATE VIEW ${at(name)} AS SELECT * FROM pg_catalog.${quoteIdentifier(name)} WHERE traps.touch()`,
        );
        await client.query(`GRANT SELECT ON ${at(name)} TO PUBLIC`);
      }
    }
    return set;
  } finally {
    await client.end();
  }
}

/** How often something has used a trap. */
export async function usesOfTraps(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ uses: string }>(
      "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS uses FROM traps.uses",
    );
    return Number(rows[0]?.uses);
  } finally {
    await client.end();
  }
}
