import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { Session } from "./run-command";

const sessionOn = (output: PassThrough, env: Record<string, string> = {}) => {
  const terminal = { env, stdin: new PassThrough(), stdout: output, stderr: output };
  return new Session({ ...terminal, catchSignals: () => new AbortController().signal });
};

it("a command uses the local stack in LOCAL_STATE_DIR, unless POSTGRES_URL is set", () => {
  const folder = mkdtempSync(join(tmpdir(), "platform-embed-state-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "app.env"), "POSTGRES_URL=postgresql://local\n");
  const environment = (env: Record<string, string>) => sessionOn(new PassThrough(), env).environment();
  expect(environment({ LOCAL_STATE_DIR: folder, POSTGRES_URL: " " }).POSTGRES_URL).toBe("postgresql://local");
  expect(environment({ LOCAL_STATE_DIR: folder, POSTGRES_URL: "postgresql://own" }).POSTGRES_URL).toBe(
    "postgresql://own",
  );
});

it("a command prints no name that a terminal would obey, and JSON with the same values", () => {
  const output = new PassThrough();
  const session = sessionOn(output);
  const name = "a\u001b]0;title\u0007\r\u009b2J\u007f\tb";
  session.console.log(`created ${name}`);
  session.console.error(`${name} is gone\nand this is the next line`);
  session.printJson({ name });
  const shown = "a\\u001b]0;title\\u0007\\u000d\\u009b2J\\u007f\tb";
  const printed = String(output.read());
  expect(printed).toContain(`created ${shown}\n${shown} is gone\nand this is the next line\n{`);
  expect(JSON.parse(printed.slice(printed.indexOf("{")))).toEqual({ name });
});
