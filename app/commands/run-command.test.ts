import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { Session } from "./run-command";

it("a command uses the local stack in LOCAL_STATE_DIR, unless POSTGRES_URL is set", () => {
  const folder = mkdtempSync(join(tmpdir(), "platform-embed-state-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "app.env"), "POSTGRES_URL=postgresql://local\n");
  const environment = (env: Record<string, string>) => {
    const output = new PassThrough();
    const terminal = { env, stdin: new PassThrough(), stdout: output, stderr: output };
    return new Session({ ...terminal, catchSignals: () => new AbortController().signal }).environment();
  };
  expect(environment({ LOCAL_STATE_DIR: folder, POSTGRES_URL: " " }).POSTGRES_URL).toBe("postgresql://local");
  expect(environment({ LOCAL_STATE_DIR: folder, POSTGRES_URL: "postgresql://own" }).POSTGRES_URL).toBe(
    "postgresql://own",
  );
});
