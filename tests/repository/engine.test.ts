import { readFileSync } from "node:fs";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { expect, test } from "vitest";
import { describeApiWithExamples } from "../../docs/api-description";
import { listFiles } from "./files";

const client = "embed-element/client/";

/** What belongs to the browser or to Node, and is reached by `world` alone. */
const outside =
  /\b(Date\.now|new Date\(\)|Math\.random|performance\.|setTimeout|setInterval|requestAnimationFrame|navigator|indexedDB|localStorage|sessionStorage|document|window|process)\b|(?<![.#\w])fetch\(/;

test("the engine reaches the world through its files named `world` alone", () => {
  const files = listFiles().filter((file) => file.startsWith(client) && !file.includes(".test."));
  expect(files.length).toBeGreaterThan(10);
  const found = files
    // The contract has types alone, and a kind of file that is called "document".
    .filter((file) => !file.startsWith(`${client}world`) && file !== `${client}contract.ts`)
    .flatMap((file) => {
      const lines = withoutComments(readFileSync(file, "utf8")).split("\n");
      return lines.filter((line) => outside.test(line)).map((line) => `${file}: ${line.trim()}`);
    });
  expect(found).toEqual([]);
});

test("the engine's types of requests and responses are those of openapi.json", async () => {
  const described = describeApiWithExamples();
  const storage = Object.entries(described.paths).filter(([path]) => path.startsWith("/api/embed/storage/"));
  expect(storage.length).toBeGreaterThan(10);
  const description = { ...described, webhooks: {}, paths: Object.fromEntries(storage) };
  const ast = await openapiTS(onlyUsed(description) as unknown as OpenAPI3, { rootTypes: false });
  const note = "/** Made from openapi.json: `npm run test:unit -- tests/repository/engine.test.ts -u`. */\n";
  await expect(note + astToString(ast)).toMatchFileSnapshot(`../../${client}contract.ts`);
});

/** The description without examples, and without what no path refers to. */
function onlyUsed<Description extends { paths: object; components: object }>(description: Description) {
  const text = (part: unknown) =>
    JSON.stringify(part, (key, value) => (key === "example" ? undefined : value));
  const components = description.components as Record<string, Record<string, unknown>>;
  const used = new Set<string>();
  const find = (part: unknown) => {
    for (const [, kind = "", name = ""] of text(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      find(components[kind]?.[name]);
    }
  };
  find(description.paths);
  const kept = Object.entries(components).map(([kind, named]) => [
    kind,
    Object.fromEntries(Object.entries(named).filter(([name]) => used.has(`${kind}/${name}`))),
  ]);
  return { ...JSON.parse(text(description)), components: Object.fromEntries(kept) };
}

function withoutComments(source: string): string {
  const file = ts.createSourceFile("file.ts", source, ts.ScriptTarget.ESNext, true);
  return ts.createPrinter({ removeComments: true }).printFile(file);
}
