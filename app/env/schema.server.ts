import { z } from "zod";
import { clusterVariables } from "./clusters.server";
import { deploymentVariables } from "./deployment.server";
import { limitVariables } from "./limits.server";
import { mailVariables } from "./mail.server";
import { parseVariables, type Source, withoutBlanks } from "./parse.server";
import { queueVariables } from "./queue.server";
import { storeVariables } from "./store.server";

/** Every variable, by topic. */
export const topics = {
  deployment: deploymentVariables,
  "object store": storeVariables,
  "e-mail": mailVariables,
  clusters: clusterVariables,
  queue: queueVariables,
  limits: limitVariables,
};

export const schema = z.object({
  ...deploymentVariables,
  ...storeVariables,
  ...mailVariables,
  ...clusterVariables,
  ...queueVariables,
  ...limitVariables,
});

/** The variables of a command that does without the rest of the server's environment. @throws EnvError */
export function parseOnly<Name extends keyof typeof schema.shape>(source: Source, ...names: Name[]) {
  const variables = Object.fromEntries(names.map((name) => [name, schema.shape[name]]));
  return parseVariables(z.object(variables as Pick<typeof schema.shape, Name>), withoutBlanks(source));
}
