/** What tests of cluster databases ask of the API, and of the cluster behind its back. */
import { randomBytes } from "node:crypto";
import type { CreatedDatabase } from "../../app/databases/create-cluster-database.server";
import type { DatabaseResource } from "../../app/databases/resource";
import type { StackInfo } from "../../local/stack-info";
import { databaseOf } from "./embed-client";
import { query } from "./postgres";

/** A company of the test's own. */
export async function makeCompany(stack: StackInfo): Promise<string> {
  return (await databaseOf(stack).company.create({ data: { name: "Test company" } })).id;
}

/** A name that nothing else has. */
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

export async function listDatabases<Body = { databases: DatabaseResource[] }>(
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

/** Whether the cluster itself has a database of that name. */
export async function isInCluster(stack: StackInfo, name: string): Promise<boolean> {
  const rows = await query(stack.postgresUrl, "SELECT 1 FROM pg_database WHERE datname = $1", [name]);
  return rows.length > 0;
}

/** The live records of a name, whoever has them. */
export function recordsOf(stack: StackInfo, name: string) {
  return databaseOf(stack).clientResource.findMany({ where: { name, status: { not: "deleted" } } });
}
