/** `npm run serve`: runs the build under plain `remix-serve`, which has none of our middleware. */
import { spawnSync } from "node:child_process";
import { type CommandDefinition, runAsProcess } from "./run-command";

const PROGRAM = ["node_modules/@remix-run/serve/dist/cli.js", "build/index.js"];

interface Options {
  allowUnprotected?: boolean;
}

export const serve: CommandDefinition = (program, session) =>
  program
    .description(
      "Runs the build under plain remix-serve. It is no production server: it checks no host, method or path, believes any caller's " +
        "X-Forwarded-For, and does not stop gracefully. Use npm start in production.",
    )
    .option("--allow-unprotected", "run it although NODE_ENV is production, or not set")
    .action(({ allowUnprotected = false }: Options) => {
      // `remix-serve` takes an unset NODE_ENV for production.
      const { NODE_ENV: environment = "production" } = session.terminal.env;
      if (environment === "production" && !allowUnprotected)
        throw new Error(
          "remix-serve is no production server: it checks no host, method or path, and believes any caller's X-Forwarded-For. " +
            "Use npm start. To run remix-serve nevertheless: npm run serve -- --allow-unprotected",
        );
      session.console.error("This is no production server. In production, use npm start.");
      const { status, signal, error } = spawnSync(process.execPath, PROGRAM, { stdio: "inherit" });
      if (error) throw error;
      session.exitCode = status ?? (signal === null ? 1 : 130);
    });

await runAsProcess(import.meta.url, "serve", serve);
