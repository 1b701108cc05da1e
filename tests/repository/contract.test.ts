import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { refusalAdvice } from "../../app/embed/check-embed-request.server";
import { type AppErrorCode, errorCodes } from "../../app/shared/app-error";
import { routeOfFile } from "../support/app/route-files";
import { textOf } from "./files";

/** `docs/contract.md` and the declarations that it describes. */
const contract = textOf("docs/contract.md");

function sectionOf(title: string): string {
  return contract.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? "";
}

/** The rows of a section's tables that begin with a status: the status, and the first code after it. */
function codesIn(title: string): Record<string, number> {
  const rows = [...sectionOf(title).matchAll(/^\| (\d{3}) \|[^`|]*`(\w+)`/gm)];
  return Object.fromEntries(rows.map(([, status, code]) => [code, Number(status)]));
}

const statuses = (codes: string[]) =>
  Object.fromEntries(codes.map((code) => [code, errorCodes[code as AppErrorCode].status]));

/** Codes of the embed page only; no JSON response has them. */
const ofThePage = ["token_missing", "service_mismatch", "referrer_missing"];

it("lists every code with its status, and says which are not part of a response", () => {
  expect(codesIn("Failures")).toEqual(
    statuses(Object.keys(errorCodes).filter((code) => !ofThePage.includes(code))),
  );
  const silent = [...sectionOf("Failures").matchAll(/^\| \d{3} \| none \(`(\w+)`\)/gm)].map(
    ([, code]) => code,
  );
  expect(silent.sort()).toEqual(
    Object.entries(errorCodes)
      .flatMap(([code, { inBody }]) => (inBody ? [] : code))
      .sort(),
  );
});

it("lists every refusal of the embed page with its status", () => {
  expect(codesIn("Rendering")).toEqual(statuses(Object.keys(refusalAdvice)));
});

it("lists every path", () => {
  const written = sectionOf("Base URLs").replaceAll("…/", "/api/embed/storage/");
  const files = readdirSync(new URL("../../app/routes", import.meta.url));
  const routes = files.map(routeOfFile).filter((route) => route !== "/$" && route !== "/_index");
  const missing = routes.filter((route) => !written.includes(`\`${route.replace(/:(\w+)/g, "{$1}")}\``));
  expect(missing).toEqual([]);
});

it("lists only columns that the tables have", () => {
  const schema = textOf("prisma/schema.prisma");
  const tables = [...sectionOf("Tables").matchAll(/^`(\w+)`, one row[\s\S]*?(?=\n\n(?!\|))/gm)];
  expect(tables.map(([, name]) => name)).toEqual(["embed_clients", "client_resources"]);
  for (const [table, name] of tables) {
    const model =
      schema.match(/^model [\s\S]*?^}/gm)?.find((text) => text.includes(`@@map("${name}")`)) ?? "";
    const columns = model
      .split("\n")
      .map((line) => /@map\("(\w+)"\)/.exec(line)?.[1] ?? /^ {2}(\w+) /.exec(line)?.[1] ?? "");
    const named = [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell]) => cell?.match(/\w+/g) ?? []);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((column) => !columns.includes(column))).toEqual([]);
  }
});

/** A person reads a row at a glance. What needs more than this is a list or a sentence below the table. */
const MAX_CELL_LENGTH = 200;

it("has no long cell in a table", () => {
  const rows = contract.split("\n").filter((line) => line.startsWith("|"));
  const cells = rows.flatMap((row) =>
    row
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
  expect(cells.length).toBeGreaterThan(500);
  expect(cells.filter((cell) => cell.length > MAX_CELL_LENGTH)).toEqual([]);
});
