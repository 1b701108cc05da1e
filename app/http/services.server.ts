import { type Env, parseEnv, readEnvOrExit } from "../env.server";
import { createDataApi, type DataApi } from "../providers/data-api.server";
import { createDatabase, type Database } from "../providers/database.server";
import { createObjectStore, type ObjectStore } from "../providers/object-store.server";

/** What handlers are handed: the one place where the app is bound to its environment. */
export interface Services {
  env: Env;
  database: Database;
  objectStore: ObjectStore;
  dataApi: DataApi;
  /** unix seconds */
  now(): number;
}

function createServices(env: Env): Services {
  return {
    env,
    database: createDatabase(env.postgres),
    objectStore: createObjectStore(env.objectStore),
    dataApi: createDataApi(env.dataApi),
    now: () => Math.floor(Date.now() / 1000),
  };
}

export const services: Services = createServices(readEnvOrExit(parseEnv));
