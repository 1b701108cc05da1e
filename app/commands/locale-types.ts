/**
 * Part of `npm run generate`: writes the type of `app/locales/en.json` with every sentence as a literal, so that the compiler knows
 * the names of sentences and their placeholders. TypeScript itself reads a JSON file's texts as `string`.
 */
import { readFileSync, writeFileSync } from "node:fs";

const english = readFileSync("app/locales/en.json", "utf8").trim();
writeFileSync("app/locales/en.d.json.ts", `declare const en: ${english};\nexport default en;\n`);
