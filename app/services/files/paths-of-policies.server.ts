import { issueOfFolderPath, withoutFinalSlash } from "platform-embed-element/client";
import type { Database } from "../../providers/database.server";
import { type FilesPolicy, readFilesPolicy } from "./place/policy.server";

const BATCH_SIZE = 500;

/** The live API keys with a valid policy for files, in batches. */
export async function* readPolicies(
  database: Pick<Database, "embedClient">,
): AsyncGenerator<{ id: string; companyId: string; policy: FilesPolicy }> {
  for (let after: string | undefined; ; ) {
    const clients = await database.embedClient.findMany({
      where: { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
      select: { id: true, companyId: true, allowedScopes: true },
      orderBy: { id: "asc" },
      take: BATCH_SIZE,
      ...(after !== undefined && { skip: 1, cursor: { id: after } }),
    });
    for (const { id, companyId, allowedScopes } of clients) {
      const policy = readFilesPolicy(allowedScopes);
      if (policy !== null) yield { id, companyId, policy };
    }
    after = clients.at(-1)?.id;
    if (clients.length < BATCH_SIZE) return;
  }
}

/** The folders that the policies of all live API keys name, of each bucket: those whose usage is counted. */
export async function findPathsOfPolicies(
  database: Pick<Database, "embedClient">,
): Promise<Map<string, Set<string>>> {
  const pathsOf = new Map<string, Set<string>>();
  for await (const { policy } of readPolicies(database)) {
    const { buckets, paths = ["/"], uploadFolders = [] } = policy;
    for (const bucket of buckets) {
      const known = pathsOf.get(bucket) ?? new Set();
      for (const path of [...paths, ...uploadFolders])
        if (issueOfFolderPath(path) === null) known.add(withoutFinalSlash(path));
      pathsOf.set(bucket, known);
    }
  }
  return pathsOf;
}
