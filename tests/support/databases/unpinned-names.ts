/**
 * Finds the names in a statement that PostgreSQL would look up where customers may create something: functions, operators, types and
 * relations without a schema (app/providers/cluster-sql.ts). The statement is read by PostgreSQL's own parser.
 */
import { loadModule, parseSync } from "libpg-query";
import type { DataApiFault } from "../../../local/data-api";

await loadModule();

/** What a statement to be run in a transaction begins with. */
const PINNED = /^BEGIN SET LOCAL search_path = pg_catalog, pg_temp; (?!.*\bsearch_path\b)/s;

type Node = Record<string, unknown>;

/** A quoted text, or a parameter of the Data API, which stands for a value. */
const PARAMETER = /'(?:[^']|'')*'|(?<!:):[a-z]\w*/g;

/** @returns the names, or what else is wrong with the statement; empty if it looks nothing up */
export function unpinnedNames(sql: string): string[] {
  const withValues = sql.replaceAll(PARAMETER, (text) => (text.startsWith(":") ? "'value'" : text));
  const { stmts = [] } = parseSync(withValues) as { stmts?: Node[] };
  const statements = stmts.flatMap(({ stmt }) => Object.entries(stmt as Node));
  return statements.flatMap(([kind, statement]) => {
    switch (kind) {
      case "CreatedbStmt":
      case "DropdbStmt":
        return [];
      case "DoStmt": {
        const body = findAll(statement, "DefElem").map((option) => textOf(option.arg));
        return body.length === 1 && PINNED.test(body[0] ?? "") ? [] : ["DO without a pinned search_path"];
      }
      case "SelectStmt":
        return unqualifiedIn(statement);
      default:
        return [`${kind} outside of a transaction with a pinned search_path`];
    }
  });
}

/** The fault to inject into a statement that looks names up: its caller fails, and so does the test. */
export function refuseUnpinned(sql: string): DataApiFault | undefined {
  const names = unpinnedNames(sql);
  if (names.length === 0) return undefined;
  const message = `This statement looks up names that customers can create (${names.join(", ")}): ${sql}`;
  console.error(message);
  return { error: { type: "BadRequestException", message } };
}

function unqualifiedIn(statement: unknown): string[] {
  const named = [
    ...findAll(statement, "FuncCall").map(({ funcname }) => namesOf(funcname)),
    ...findAll(statement, "TypeCast").map(({ typeName }) => namesOf((typeName as Node).names)),
    ...findAll(statement, "A_Expr").map(({ name }) => namesOf(name)),
    ...findAll(statement, "SubLink").flatMap(({ operName }) => (operName ? [namesOf(operName)] : [])),
    ...findAll(statement, "CollateClause").map(({ collname }) => namesOf(collname)),
    ...findAll(statement, "RangeVar").map(({ schemaname, relname }) =>
      [schemaname, relname].filter((name) => typeof name === "string"),
    ),
  ];
  const implied = [
    ...findAll(statement, "JoinExpr").flatMap(({ usingClause, isNatural }) =>
      usingClause || isNatural ? ["= of a join without ON"] : [],
    ),
    ...findAll(statement, "CaseExpr").flatMap(({ arg }) => (arg ? ["= of CASE with a value"] : [])),
    ...findAll(statement, "SortBy").flatMap(({ useOp }) => (useOp ? ["operator of USING"] : [])),
  ];
  return [...named.filter(([schema]) => schema !== "pg_catalog").map((names) => names.join(".")), ...implied];
}

/** All nodes of one kind, anywhere below. */
function findAll(value: unknown, kind: string): Node[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [
    ...(key === kind ? [child as Node] : []),
    ...findAll(child, kind),
  ]);
}

const namesOf = (list: unknown): string[] => (Array.isArray(list) ? list : []).map(textOf);

function textOf(node: unknown): string {
  const { String: text } = node as { String?: { sval?: string } };
  return text?.sval ?? "";
}
