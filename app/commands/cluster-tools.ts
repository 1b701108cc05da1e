import { parseEnv } from "../env.server";
import { createDataApi } from "../providers/data-api.server";
import type { Database } from "../providers/database.server";

/** What commands need to work with cluster databases. @throws EnvError */
export function clusterToolsOf(database: Database, source: Record<string, string | undefined>) {
  const { clusters, dataApi } = parseEnv(source);
  return { database, dataApi: createDataApi(dataApi), clusters };
}
