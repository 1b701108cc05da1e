import type { Limits, Verdict } from "../../embed-element/doctor/report";
import { issuesOf } from "../embed/manage-embed-clients.server";
import type { Env, EnvVariables } from "../env/env.server";
import type { Database } from "../providers/database.server";
import type { ObjectStore } from "../providers/object-store.server";
import type { StoreProbe } from "../providers/object-store-checks.server";
import { defaultActions, type ScopeAction } from "../services/files/place/actions";
import { readFilesPolicy } from "../services/files/place/policy.server";
import { services } from "../services/registry.server";
import type { InputIssue } from "../shared/app-error";

export interface DoctorContext {
  env: Env;
  /** `process.env`, for the variables that only commands read */
  variables: EnvVariables;
  limits: Limits;
  database: Database;
  /** Asked once for all checks. Rejects if the query fails. */
  liveClients: () => Promise<LiveClient[]>;
}

/** Runs the checks of one subject. Never rejects. */
export type CheckGroup = (context: DoctorContext) => Promise<Verdict[]>;

export interface BucketToCheck {
  context: Pick<DoctorContext, "database" | "env">;
  probe: StoreProbe;
  store: ObjectStore;
  bucket: string;
  /** what visitors may do in the bucket */
  actions: ReadonlySet<ScopeAction>;
  /** The verdict on a setting that is missing, but without which the explorer works: `warning` or `wrong`. */
  missing: (message: string, remedy: string) => Verdict;
}

/** An embed client that is not revoked. */
export interface LiveClient {
  id: string;
  allowedOrigins: string[];
  /** null when it never expires */
  expiresAt: Date | null;
  /** null if `allowed_scopes` is invalid */
  buckets: string[] | null;
  usesFiles: boolean;
  /** of its services and policies, as somebody may have typed them */
  issues: InputIssue[];
  /** all that its tokens may do with files */
  actions: readonly ScopeAction[];
  /** its tokens read only files with a tag */
  requiresTag: boolean;
}

export async function findLiveClients(database: Database): Promise<LiveClient[]> {
  const rows = await database.embedClient.findMany({
    where: { revokedAt: null },
    select: { id: true, expiresAt: true, allowedOrigins: true, allowedScopes: true, allowedServices: true },
    orderBy: { createdAt: "asc" },
  });
  return rows.map(({ id, expiresAt, allowedOrigins, allowedScopes, allowedServices }) => {
    const policy = readFilesPolicy(allowedScopes);
    return {
      id,
      expiresAt,
      allowedOrigins,
      buckets: policy?.buckets ?? null,
      usesFiles: allowedServices.includes("files"),
      issues: issuesOf({ services: allowedServices, policies: asObject(allowedScopes) }, services),
      actions: policy?.actions ?? defaultActions,
      requiresTag: policy?.requireTag !== undefined,
    };
  });
}

const asObject = (json: unknown): Record<string, unknown> =>
  typeof json === "object" && json !== null && !Array.isArray(json) ? { ...json } : {};

/** The buckets that live clients open, each once. */
export function bucketsOf(clients: readonly LiveClient[]): string[] {
  return [...new Set(clients.flatMap(({ usesFiles, buckets }) => (usesFiles ? (buckets ?? []) : [])))].sort();
}

/** All that visitors of live clients may do in a bucket, and whether a client requires a tag of its files. */
export function usesOf(bucket: string, clients: readonly LiveClient[]) {
  const ofBucket = clients.filter(({ usesFiles, buckets }) => usesFiles && buckets?.includes(bucket));
  return {
    actions: new Set(ofBucket.flatMap(({ actions }) => actions)),
    requiresTag: ofBucket.some(({ requiresTag }) => requiresTag),
  };
}
