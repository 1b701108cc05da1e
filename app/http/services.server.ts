import { type Env, parseEnv, readEnvOrExit, warningsOf } from "../env.server";
import { createDataApi, type DataApi } from "../providers/data-api.server";
import { createDatabase, type Database } from "../providers/database.server";
import { createMailer, type Mailer } from "../providers/mail.server";
import { createObjectStore, type ObjectStore } from "../providers/object-store.server";

/** What handlers are handed: the one place where the app is bound to its environment. */
export interface Services {
  env: Env;
  database: Database;
  objectStore: ObjectStore;
  dataApi: DataApi;
  mailer: Mailer;
  /** unix seconds */
  now(): number;
}

function createServices(env: Env): Services {
  for (const warning of warningsOf(env)) console.warn(`Warning: ${warning}`);
  return {
    env,
    database: createDatabase(env.postgres),
    objectStore: createObjectStore(env.objectStore),
    dataApi: createDataApi(env.dataApi),
    mailer: createMailer(env.mail),
    now: () => Math.floor(Date.now() / 1000),
  };
}

export const services: Services = createServices(readEnvOrExit(parseEnv));
