/** The local stack's secrets: made at the first start, kept in `<dataDir>/secrets.json` (mode 600) for the next ones. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { createApiKey } from "../app/embed/api-key.server";
import { StackError } from "./addresses";
import { writePrivateFile } from "./private-file";

const schema = z.object({
  postgresPassword: z.string(),
  embedSigningSecret: z.string(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  /** the demo integrator's raw API key: the database has only its hash */
  demoApiKey: z.string(),
  queueToken: z.string(),
  queueCurrentSigningKey: z.string(),
  queueNextSigningKey: z.string(),
});

export type Secrets = z.infer<typeof schema>;

/** @throws StackError when they are lost or damaged: the database cannot be opened without its password */
export async function readOrMakeSecrets(dataDir: string): Promise<Secrets> {
  const path = join(dataDir, "secrets.json");
  if (existsSync(path)) {
    try {
      return schema.parse(JSON.parse(await readFile(path, "utf8")));
    } catch (cause) {
      throw new StackError(`${path} is damaged. Start anew with \`npm run dev -- --fresh\`.`, { cause });
    }
  }
  if (existsSync(join(dataDir, "postgres")) || existsSync(join(dataDir, "postgres.location"))) {
    throw new StackError(
      `${path} is gone, and with it the way into the data beside it. Start anew with \`npm run dev -- --fresh\`.`,
    );
  }
  const made = makeSecrets();
  await writePrivateFile(path, JSON.stringify(made, null, 2));
  return made;
}

function makeSecrets(): Secrets {
  const random = (bytes: number) => randomBytes(bytes).toString("base64url");
  return {
    postgresPassword: random(18),
    embedSigningSecret: random(48),
    accessKeyId: `LOCAL${randomBytes(8).toString("hex").toUpperCase()}`,
    secretAccessKey: random(30),
    demoApiKey: createApiKey(),
    queueToken: random(24),
    queueCurrentSigningKey: `sig_${random(24)}`,
    queueNextSigningKey: `sig_${random(24)}`,
  };
}
