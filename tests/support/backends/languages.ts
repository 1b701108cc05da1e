/** Runs each example of docs/examples/backends in its own process, inside the web framework that integrators of its language use. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  createEmbedHandler,
  createWebhookHandler,
  type EmbedUrlError,
  toNodeHandler,
} from "../../../embed-element/src/server";
import { findFreePort } from "../machine/free-port";
import { works } from "../machine/installed";

const examples = fileURLToPath(new URL("../../../docs/examples/", import.meta.url));
const apps = fileURLToPath(new URL("./", import.meta.url));

/** Far above the platform's response time on a busy machine. */
const TIMEOUT_SECONDS = 5;

/** Placeholder for the port in a command, replaced just before the start. The variable PORT is set as well. */
const PORT = "$PORT";

/** Another origin of the integrator whose pages may request embed URLs. */
export const OTHER_ORIGIN = "https://other.example";

/** Settings of an integrator's backend. The header `X-Test-User` names the signed-in user, and `X-Test-Unnamed` hides them from the platform. */
export interface BackendSettings {
  apiBaseUrl: string;
  apiKey: string;
  bucket: string;
  /** of its webhook */
  webhookSecret: string;
}

export interface Backend {
  /** the token endpoint */
  url: string;
  /** the receiver of webhooks */
  webhooksUrl: string;
  /** tells whether the receiver would accept a message at the time in `X-Now`, unix seconds; not of the package */
  checkWebhookUrl?: string;
  /** everything it has printed */
  output(): string;
  close(): Promise<void>;
}

export interface Language {
  name: string;
  /** the Debian packages that the example needs */
  packages: string;
  /** null if they are not installed */
  start: ((settings: BackendSettings) => Promise<Backend>) | null;
}

export function findLanguages(): Language[] {
  // The first may be another version than Debian's own.
  const python = ["python3", "/usr/bin/python3"].find((command) => works(command, "-c", "import flask"));
  const php = works("php", "-r", "exit(extension_loaded('curl') ? 0 : 1);");
  const ruby = works(
    "ruby",
    "-e",
    'require "rack"; begin; require "rackup"; rescue LoadError; require "rack/handler/webrick"; end',
  );
  const go = works("go", "version");
  return [
    { name: "Node", packages: "", start: startNode },
    {
      name: "Python",
      packages: "python3-flask",
      start:
        python === undefined
          ? null
          : (settings) => startBackend(settings, "embed_url.py", async () => [python, join(apps, "app.py")]),
    },
    {
      name: "PHP",
      packages: "php-cli and php-curl",
      start: !php
        ? null
        : (settings) =>
            startBackend(settings, "embed-url.php", async (folder) => {
              await cp(join(apps, "check-webhook.php"), join(folder, "check-webhook.php"));
              return [
                ...["php", "-S", `127.0.0.1:${PORT}`, "-t", folder, "-d", `session.save_path=${folder}`],
                ...["-d", `auto_prepend_file=${join(apps, "sign-in.php")}`],
              ];
            }),
    },
    {
      name: "Ruby",
      packages: "ruby and ruby-rack",
      start: !ruby
        ? null
        : (settings) => startBackend(settings, "embed_url.rb", async () => ["ruby", join(apps, "app.rb")]),
    },
    {
      name: "Go",
      packages: "golang-go",
      start: !go ? null : (settings) => startBackend(settings, "platformembed/embed_url.go", buildGo),
    },
  ];
}

/** The npm package's own handler, whose responses the examples have to match. */
async function startNode({ apiBaseUrl, apiKey, bucket, webhookSecret }: BackendSettings): Promise<Backend> {
  let output = "";
  const onError = (error: unknown) => {
    const { code, status, requestId, issues, message } = error as EmbedUrlError;
    output += `${JSON.stringify({ code, status, requestId, issues, message })}\n`;
  };
  const handler = createEmbedHandler<IncomingMessage>({
    ...{ apiBaseUrl, apiKey, timeoutMs: TIMEOUT_SECONDS * 1_000 },
    origins: [OTHER_ORIGIN],
    scope: (_, { headers }) => "x-test-user" in headers && { bucket, path: `/${headers["x-test-user"]}` },
    visitor: (_, { headers }) =>
      "x-test-unnamed" in headers ? null : { id: String(headers["x-test-user"]) },
    onError,
  });
  const embedUrl = toNodeHandler(handler);
  const webhooks = toNodeHandler(createWebhookHandler({ secret: webhookSecret, onEvent: () => {}, onError }));
  const server = createServer((request, response) =>
    (request.url === "/webhooks" ? webhooks : embedUrl)(request, response),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/embed-url`,
    webhooksUrl: `${origin}/webhooks`,
    output: () => output,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function buildGo(folder: string): Promise<string[]> {
  await cp(join(apps, "main.go"), join(folder, "main.go"));
  await writeFile(join(folder, "go.mod"), "module backend\n\ngo 1.18\n");
  // Later versions of Go choose this by themselves.
  const env = { ...process.env, CGO_ENABLED: works("gcc", "--version") ? "1" : "0" };
  await promisify(execFile)("go", ["build", "-o", "backend", "."], { cwd: folder, env });
  return [join(folder, "backend")];
}

/** By the extension of an example: the beginning of its function about the visitor, and a line for visitors whom the platform does not know. */
const UNNAMED_VISITORS: Record<string, [beginning: RegExp, line: string]> = {
  ".py": [/^def visitor\(\):\n.*\n/m, '    if "X-Test-Unnamed" in request.headers:\n        return None\n'],
  ".php": [
    /^function visitor\(\): \?array\n\{\n/m,
    "    if (isset($_SERVER['HTTP_X_TEST_UNNAMED'])) return null;\n",
  ],
  ".rb": [/^ {2}def visitor\(env\)\n/m, '    return if env.key?("HTTP_X_TEST_UNNAMED")\n'],
};

/**
 * Copies the example to `path` in a new folder. Like integrators, it changes the bucket and the function about the visitor; it also shortens
 * the time limit.
 * @param prepare returns the command to start, once the example is in its folder
 */
async function startBackend(
  { apiBaseUrl, apiKey, bucket, webhookSecret }: BackendSettings,
  path: string,
  prepare: (folder: string) => Promise<string[]>,
): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), "platform-embed-backend-"));
  const example = join(folder, path);
  const written = await readFile(join(examples, "backends", path.split("/").at(-1) ?? ""), "utf8");
  const hasty = written.replace(
    /^(.*timeout(?:_seconds)? = )10\b/im,
    (_, before) => before + TIMEOUT_SECONDS,
  );
  if (hasty === written) throw new Error(`${path} has no time limit of 10 seconds.`);
  const extension = extname(path);
  const [beginning, line] = UNNAMED_VISITORS[extension] ?? [];
  const own = beginning ? hasty.replace(beginning, (found) => found + line) : hasty;
  if (beginning && own === hasty) throw new Error(`${path} has no function about the visitor.`);
  await mkdir(dirname(example), { recursive: true });
  await writeFile(
    example,
    own.replace('"customer-files"', `"${bucket}"`).replace("'customer-files'", `'${bucket}'`),
  );
  const webhooks = `webhooks${extension}`;
  // A package of Go has a folder of its own.
  const receiver = join(folder, extension === ".go" ? "webhooks" : "", webhooks);
  await mkdir(dirname(receiver), { recursive: true });
  await cp(join(examples, "webhooks", webhooks), receiver);

  const prepared = await prepare(folder);
  const port = await findFreePort();
  const [command = "", ...words] = prepared.map((word) => word.replace(PORT, String(port)));
  // Inherits nothing from the caller, such as proxy settings.
  const env = {
    ...{ PATH: process.env.PATH, HOME: process.env.HOME },
    ...{ EMBED_API_BASE_URL: apiBaseUrl, EMBED_API_KEY: apiKey, BUCKET: bucket, PORT: String(port) },
    WEBHOOK_SECRET: webhookSecret,
    EMBED_PAGE_ORIGINS: `https://third.example ${OTHER_ORIGIN}`,
    ...{ PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1", EXAMPLE: example },
  } as unknown as NodeJS.ProcessEnv;
  const child = spawn(command, words, { env, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (output += piece));
  await listening(child, port, () => output);
  const urlOf = (name: string) => `http://127.0.0.1:${port}/${name}${extension === ".php" ? extension : ""}`;
  return {
    url: urlOf("embed-url"),
    webhooksUrl: urlOf("webhooks"),
    checkWebhookUrl: urlOf("check-webhook"),
    output: () => output,
    async close() {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      await rm(folder, { recursive: true });
    },
  };
}

/** @throws Error with its output if it ends instead */
async function listening(child: ChildProcess, port: number, output: () => string): Promise<void> {
  while (!(await connects(port))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The backend ended: ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (connected: boolean) => {
      socket.destroy();
      resolve(connected);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}
