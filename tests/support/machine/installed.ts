/** Helpers for tests that need a program that may not be installed. */
import { spawnSync } from "node:child_process";

/** In CI every program must be installed, so that no test passes by being skipped. */
export const isCi = Boolean(process.env.CI) && process.env.CI !== "false";

/** Whether a command runs and exits with 0. */
export const works = (command: string, ...words: string[]): boolean =>
  spawnSync(command, words, { stdio: "ignore" }).status === 0;

/**
 * Returns the body of a test that replaces tests which cannot run. It skips itself, or fails in CI.
 * @param packages the Debian packages to install
 */
export const notInstalled =
  (packages: string) =>
  (context: { skip(reason: string): void }): void => {
    if (isCi) throw new Error(`Install ${packages}: every program is required when CI is set.`);
    context.skip(`Not installed: ${packages}.`);
  };
