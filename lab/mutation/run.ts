/**
 * `npm run test:mutation`: changes the code in a thousand small ways, and names each change that no unit test notices. The tester is
 * installed here and not with the product, which does not need it. lab/README.md
 *
 *   npm run test:mutation                                          all of it, or what has changed since the last run
 *   npm run test:mutation -- --mutate "app/embed/*.ts" --force     some files, whether they have changed or not
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate } from "../../prisma/migrate";
import { startTestPostgres } from "../../tests/support/databases/postgres";

const here = fileURLToPath(new URL(".", import.meta.url));
const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: here, stdio: "inherit" });
if (status !== 0) process.exit(1);

// One server for all runs of all tests: starting one takes longer than most of them.
const postgres = await startTestPostgres();
let failed = true;
try {
  const TEST_DATABASE_TEMPLATE = await postgres.createDatabase();
  await migrate(TEST_DATABASE_TEMPLATE);
  const stryker = join(here, "node_modules/@stryker-mutator/core/bin/stryker.js");
  const tester = spawn(
    process.execPath,
    [stryker, "run", join(here, "stryker.config.js"), ...process.argv.slice(2)],
    { cwd: join(here, "../.."), env: { ...process.env, TEST_DATABASE_TEMPLATE }, stdio: "inherit" },
  );
  // Ctrl-C reaches the tester too; this process waits for it, and then stops the server.
  process.on("SIGINT", () => {});
  const [code] = await once(tester, "exit");
  failed = code !== 0;
} finally {
  await postgres.stop();
}
process.exit(failed ? 1 : 0);
