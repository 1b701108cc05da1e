import { type EnvVariables, parseEnv } from "../env/env.server";
import type { Database } from "../providers/database.server";
import { createDataApi } from "../providers/rds-data-api.server";

/** What commands need to work with cluster databases. @throws EnvError */
export function clusterToolsOf(database: Database, variables: EnvVariables) {
  const { clusters, dataApi, capacity } = parseEnv(variables);
  return { database, dataApi: createDataApi(dataApi), clusters, capacity };
}
