/** The folder in which the local stack keeps its state: its lock, its secrets, and how other files are written there. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { createApiKey } from "../app/embed/api-key.server";
import { StackError } from "./addresses";
import { startOf } from "./process/process-table";

/**
 * Locks the folder for this process (`stack.lock` names it), and returns a function that unlocks it. A lock whose process
 * no longer runs is taken over.
 * @throws StackError when another stack is running from the folder
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const path = join(dataDir, "stack.lock");
  const mine = `${process.pid} ${startOf(process.pid)}`;
  const take = () => writeFile(path, mine, { flag: "wx" });
  try {
    await take();
  } catch {
    const holder = await readFile(path, "utf8").catch(() => "");
    const [pid = ""] = holder.split(" ");
    if (holder === mine || (holder && holder === `${pid} ${startOf(Number(pid))}`)) {
      throw new StackError(
        `The local stack is already running here (process ${pid}). Stop it first; a second one needs a checkout and a LOCAL_PORT_OFFSET of its own.`,
      );
    }
    await rm(path, { force: true });
    await take();
  }
  return () => rm(path, { force: true });
}

/** Writes a file that only its owner can read. A reader sees the old text or the new one, never a mixture. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, `${text}\n`, { mode: 0o600 });
  await rename(unfinished, path);
}

const schema = z.object({
  postgresPassword: z.string(),
  embedSigningSecret: z.string(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  /** the demo portal's API key; the database only has its hash */
  demoApiKey: z.string(),
  queueToken: z.string(),
  queueCurrentSigningKey: z.string(),
  queueNextSigningKey: z.string(),
});

export type Secrets = z.infer<typeof schema>;

/**
 * Reads `secrets.json`, or creates it at the first start.
 * @throws StackError when it is damaged, or missing although there is data: the database cannot be opened without its password
 */
export async function readOrCreateSecrets(dataDir: string): Promise<Secrets> {
  const path = join(dataDir, "secrets.json");
  if (existsSync(path)) {
    try {
      return schema.parse(JSON.parse(await readFile(path, "utf8")));
    } catch (cause) {
      throw new StackError(`${path} is damaged. Start again with \`npm run dev -- --fresh\`.`, { cause });
    }
  }
  if (existsSync(join(dataDir, "postgres")) || existsSync(join(dataDir, "postgres.location"))) {
    throw new StackError(
      `${path} is missing. Without it the data in the same folder cannot be opened. Start again with \`npm run dev -- --fresh\`.`,
    );
  }
  const secrets = createSecrets();
  await writePrivateFile(path, JSON.stringify(secrets, null, 2));
  return secrets;
}

function createSecrets(): Secrets {
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
