import type { z } from "zod";
import { topics } from "./variables.server";

/** Variables that are not in the schema: their names contain a region, or another program reads them. */
const more: Partial<Record<string, string[]>> = {
  clusters: [
    "# The cluster of a region, and the secret with its user's password; without a region in the name, of every other region.",
    "# CLUSTER_REF_CA_CENTRAL_1=",
    "# SECRET_REF_CA_CENTRAL_1=",
  ],
};
/** Only a command needs these. */
const optional = new Set(["QUEUE_TOKEN"]);

/** The text of `.env.example`. */
export function envExample(): string {
  const blocks = Object.entries(topics).map(([topic, variables]) =>
    [
      `## ${topic}`,
      ...Object.entries<z.ZodType>(variables).flatMap(([name, variable]) => linesOf(name, variable)),
      ...(more[topic] ?? []),
    ].join("\n"),
  );
  const head =
    "# Made from app/env/variables.server.ts; docs/reference/settings.md says what each is for.\n" +
    "# Required variables are blank. Commented-out variables show their defaults. In production API_BEARER_TOKEN and QUEUE_VERIFY=true are required, too, and everywhere CLOUD_CREDENTIALS or an access key.";
  return `${[head, ...blocks].join("\n\n")}\n`;
}

function linesOf(name: string, variable: z.ZodType): string[] {
  const unset = variable.safeParse(undefined);
  const isRequired = !unset.success && !optional.has(name);
  const value = unset.success && unset.data !== undefined ? String(unset.data) : "";
  return [`# ${variable.description}`, `${isRequired ? "" : "# "}${name}=${value}`];
}
