import { z } from "zod";
import { clusterVariables } from "./clusters.server";
import { deploymentVariables } from "./deployment.server";
import { limitVariables } from "./limits.server";
import { mailVariables } from "./mail.server";
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
