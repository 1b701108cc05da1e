import { basename } from "node:path";

export interface ProductionCommand {
  /** of `npm run` */
  script: string;
  /** what it runs in a checkout, by tsx */
  source: string;
  /** its file in `build/commands` */
  built: string;
  /** Node's, each with a space behind it */
  flags: string;
}

/** What makes that which runs, or helps to write it. */
const onlyInCheckout = ["build:commands", "assemble", "generate", "studio"];

/** Those scripts of package.json that are there where the server runs, too. */
export function productionCommands(scripts: Record<string, string>): ProductionCommand[] {
  return Object.entries(scripts).flatMap(([script, line]) => {
    const [, flags = "", source] =
      /^tsx ((?:--\S+ )*)((?:app\/commands|prisma)\/[\w-]+\.ts)$/.exec(line) ?? [];
    if (source === undefined || onlyInCheckout.includes(script)) return [];
    return [{ script, source, built: `${basename(source, ".ts")}.js`, flags }];
  });
}
