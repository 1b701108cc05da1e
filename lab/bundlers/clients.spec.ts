import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@playwright/test";
import { demoClient } from "../../prisma/seed";
import { type BuiltApp, startBuiltApp } from "../../tests/support/app/built-app";
import { copyApp } from "./install-app";

const run = promisify(execFile);
const BEARER = "a-token-of-the-test-of-generated-clients";

/** The API's OpenAPI description, as others use it: linters, and clients made by the usual generators. */
test.describe.configure({ mode: "default", timeout: 240_000 });

const stack = JSON.parse(String(process.env.TEST_STACK));
let folder = "";
let app: BuiltApp | undefined;
test.beforeAll(async () => {
  folder = await copyApp(fileURLToPath(new URL("clients", import.meta.url)));
  const options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  [app] = await Promise.all([
    startBuiltApp(stack, { API_BEARER_TOKEN: BEARER }),
    run("npm", ["ci", ...options], { cwd: folder }),
  ]);
  const description = await fetch(`${app.apiBaseUrl}/openapi.json`);
  await writeFile(join(folder, "openapi.json"), await description.text());
});
test.afterAll(() => app?.close());

const npmRun = (script: string) => run("npm", ["run", "--silent", script], { cwd: folder });

for (const linter of ["redocly", "spectral"]) {
  test(`${linter} finds no error in the description`, async () => {
    await npmRun(`lint:${linter}`);
  });
}

test("every pattern is a regular expression of Python, too", async () => {
  const { stdout } = await run("python3", [
    "-c",
    `import json, re
def patterns(value):
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "pattern" and isinstance(member, str): yield member
            else: yield from patterns(member)
    elif isinstance(value, list):
        for member in value: yield from patterns(member)
print(len([re.compile(one) for one in patterns(json.load(open(${JSON.stringify(join(folder, "openapi.json"))})))]))`,
  ]);
  expect(Number(stdout)).toBeGreaterThan(10);
});

test("clients made by openapi-typescript, @hey-api/openapi-ts and orval compile strictly and make their calls", async () => {
  for (const generator of ["openapi-typescript", "hey-api", "orval"]) await npmRun(`generate:${generator}`);
  const compiled = await run(join(folder, "node_modules/.bin/tsc"), ["-p", "."], { cwd: folder }).catch(
    ({ stdout }: { stdout: string }) => ({ stdout }),
  );
  expect(compiled.stdout).toBe("");
  const env = {
    ...process.env,
    API_BASE_URL: app?.apiBaseUrl,
    API_BEARER_TOKEN: BEARER,
    COMPANY_ID: demoClient.companyId,
    BUCKET: stack.objectStore.bucket,
  };
  for (const program of ["openapi-typescript", "hey-api", "orval"])
    await run(process.execPath, [join(folder, `built/${program}.js`)], { cwd: folder, env });
});
