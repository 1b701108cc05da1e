/** nginx with a configuration of `docs/examples`, on other ports. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { works } from "../machine/installed";

export const hasNginx = (): boolean => works("nginx", "-v");

export interface TestNginx {
  /** the lines of its access log */
  accessLog(): string[];
  stop(): Promise<void>;
}

/**
 * @param name the file in `docs/examples`
 * @param port where nginx listens, instead of 8080
 * @param change puts the addresses of a test's servers into the configuration
 * @throws if nginx ends while it starts, with its output
 */
export async function startNginx(
  name: string,
  port: number,
  change: (example: string) => string,
): Promise<TestNginx> {
  const folder = mkdtempSync(join(tmpdir(), "nginx-"));
  const example = readFileSync(
    fileURLToPath(new URL(`../../../docs/examples/${name}`, import.meta.url)),
    "utf8",
  );
  writeFileSync(join(folder, name), change(example).replace("listen 8080", `listen 127.0.0.1:${port}`));
  const nginx = spawn("nginx", ["-p", folder, "-c", name, "-g", "daemon off;"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  nginx.stderr.on("data", (text) => {
    said += text;
  });
  while (
    !(await fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => status < 500,
      () => false,
    ))
  ) {
    if (nginx.exitCode !== null) throw new Error(`nginx ended. It said:\n${said}`);
    await sleep(50);
  }
  return {
    accessLog: () => readFileSync(join(folder, "access.log"), "utf8").trim().split("\n"),
    async stop() {
      const exited = once(nginx, "exit");
      nginx.kill("SIGTERM");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
