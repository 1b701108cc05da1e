/** API calls for tests of cluster databases, and direct queries to the cluster. */
import { randomBytes } from "node:crypto";
import type { CreatedDatabase } from "../../../app/databases/create-database.server";
import type { DatabaseResource } from "../../../app/databases/find-databases.server";
import type { StackInfo } from "../../../local/stack-info";
import { databaseOf } from "../app/embed-client";
import { query } from "./postgres";

/** Creates a company for one test. */
export async function makeCompany(stack: StackInfo): Promise<string> {
  return (await databaseOf(stack).company.create({ data: { name: "Test company" } })).id;
}

/** Returns a unique database name. */
export function freshName(): string {
  return `db_${randomBytes(8).toString("hex")}`;
}

export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface Refusal {
  error: string;
  code?: string;
  issues?: { path: string; message: string }[];
}

export async function postDatabase<Body = CreatedDatabase>(
  apiBaseUrl: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> {
  return asAnswer(
    await fetch(`${apiBaseUrl}/api/cluster/databases`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    }),
  );
}

export async function listDatabases<Body = { databases: DatabaseResource[]; cursor?: string | null }>(
  apiBaseUrl: string,
  search: Record<string, string>,
): Promise<Answer<Body>> {
  return asAnswer(await fetch(`${apiBaseUrl}/api/cluster/databases?${new URLSearchParams(search)}`));
}

export async function getDatabase<Body = DatabaseResource>(
  apiBaseUrl: string,
  id: string,
): Promise<Answer<Body>> {
  return asAnswer(await fetch(`${apiBaseUrl}/api/cluster/databases/${id}`));
}

async function asAnswer<Body>(response: Response): Promise<Answer<Body>> {
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Body,
  };
}

/** Whether the cluster has a database with that name. */
export async function isInCluster(stack: StackInfo, name: string): Promise<boolean> {
  const rows = await query(stack.postgresUrl, "SELECT 1 FROM pg_database WHERE datname = $1", [name]);
  return rows.length > 0;
}

/** All records of a name that are not deleted, of any company. */
export function recordsOf(stack: StackInfo, name: string) {
  return databaseOf(stack).clientResource.findMany({ where: { name, status: { not: "deleted" } } });
}

/** What is recorded of a database. */
export function eventsOfDatabase(stack: StackInfo, id: string | undefined) {
  return databaseOf(stack).event.findMany({ where: { databaseId: id ?? "" } });
}
