import { basename } from "node:path";

/** A command that exists both in a checkout and where the server runs. */
interface ProductionCommand {
  /** its script in package.json */
  script: string;
  /** the TypeScript file that the script runs in a checkout */
  source: string;
  /** the built file in `build/commands` */
  built: string;
}

/** Scripts that build the project, or help to develop it. */
const onlyInCheckout = [
  "build:assets",
  "build:commands",
  "assemble",
  "release",
  "generate",
  "serve",
  "studio",
];

/** The scripts of package.json that are also needed where the server runs. */
export function productionCommands(scripts: Record<string, string>): ProductionCommand[] {
  return Object.entries(scripts).flatMap(([script, line]) => {
    const [, source] = /^tsx ((?:app\/commands|prisma)\/[\w-]+\.ts)$/.exec(line) ?? [];
    if (source === undefined || onlyInCheckout.includes(script)) return [];
    return [{ script, source, built: `${basename(source, ".ts")}.js` }];
  });
}
