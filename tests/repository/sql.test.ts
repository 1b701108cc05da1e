/** CONTRIBUTING.md: "SQL is in one file for each feature". */
import { expect, it } from "vitest";
import { listFiles, textOf } from "./files";

const isSqlFile = (path: string) => path.endsWith(".sql.server.ts");
const files = listFiles().filter((path) => /^app\/.+\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path));

const RUNS_SQL = /\.\$(driverQuery|reservedQuery|queryRaw|executeRaw)/;

it("statements are only in *.sql.server.ts and in the providers", () => {
  const others = files.filter((path) => !isSqlFile(path) && !path.startsWith("app/providers/"));
  expect(others.filter((path) => RUNS_SQL.test(textOf(path)))).toEqual([]);
});

it("rows have the type of the schema that checks them, and no other", () => {
  const typed = /\$(driverQuery|reservedQuery)</;
  expect(files.filter((path) => typed.test(textOf(path)))).toEqual([]);
});

it("each function that runs a statement, or its file, says why it is not Prisma's", () => {
  const missing = files.filter(isSqlFile).flatMap((path) => {
    const text = textOf(path);
    if (/^\/\*[^*].*\bSQL\b/.test(text)) return [];
    // Declarations are apart by an empty line, and begin with their comment.
    const declarations = text.split(/\n\n(?=\S)/).filter((declaration) => RUNS_SQL.test(declaration));
    return declarations
      .filter((declaration) => !/\/\*\*[^/]*\bSQL\b/.test(declaration))
      .map((declaration) => `${path}: ${/(?:function|const) (\w+)/.exec(declaration)?.[1]}`);
  });
  expect(missing).toEqual([]);
});
