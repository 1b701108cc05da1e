import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { describeElement } from "../../embed-element/manifest";
import { listFiles, root, textOf } from "./files";

interface Sample {
  /** the document and the line that the sample begins in */
  at: string;
  language: string;
  code: string;
}

/** Documents for people; records of decisions show what was, and stay as they are. */
const documents = listFiles().filter(
  (path) =>
    /^(README|CONTRIBUTING|embed-element\/README|docs\/(?!decisions).+)\.md$|^docs\/contract\.md$/.test(
      path,
    ) && existsSync(join(root, path)),
);

const samples: Sample[] = documents.flatMap((path) => {
  // The guides for frameworks name the files of apps that are built and run: see frameworks.test.ts.
  const text = textOf(path).replace(/(^`[^`]+`:\n\n```)\w+/gm, path.includes("/frameworks/") ? "$1" : "$&");
  return [...text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)].map(
    ({ index, 1: language = "", 2: code = "" }) => ({
      at: `${path}:${text.slice(0, index).split("\n").length}`,
      language,
      code,
    }),
  );
});
const inLanguage = (...languages: string[]) => samples.filter(({ language }) => languages.includes(language));

it("no sample shows the whole bucket to somebody whose id is empty", () => {
  const careless = samples.filter(
    ({ code }) => /path: `\/\$\{req\.user\.id\}`/.test(code) && !/req\.user\?\.id\s*&&/.test(code),
  );
  expect(careless.map(({ at }) => at)).toEqual([]);
});

/** Names that the surrounding text introduces or that exist in the reader's environment. */
const READERS_OWN = `
import type { PlatformEmbed } from "platform-embed-element";
import type { FilesClient, Row } from "platform-embed-element/client";
import type { EmbedHandler } from "platform-embed-element/server";
declare global {
  const app: any, fastify: any, frame: HTMLIFrameElement, myIndex: any, user: { id: string }, vue: (options: object) => unknown;
  const files: FilesClient, folder: ReturnType<FilesClient["folder"]>, row: Extract<Row, { type: "file" }>;
  const embed: PlatformEmbed, handler: EmbedHandler, apiBaseUrl: string, apiKey: string;
  const createEmbedHandler: typeof import("platform-embed-element/server").createEmbedHandler;
  const toNodeHandler: typeof import("platform-embed-element/server").toNodeHandler;
  const createServer: typeof import("node:http").createServer;
  function auth(): Promise<unknown>;
  function scopeOf(session: unknown): { bucket: string };
  function foldersOf(user: unknown): Promise<string[]>;
  function saveUpload(id: string, key: string, visitor?: string): Promise<void>;
  function saveEvent(id: string, event: object): Promise<void>;
  function saveApplication(application: object): Promise<void>;
  function query(...asked: unknown[]): string;
  function report(...facts: unknown[]): void;
  function checkOnMyServer(file: unknown): Promise<void>;
}
declare module "platform-embed-element/style.css";
`;

describe("samples in the documentation", () => {
  it("are in languages that a test checks", () => {
    // Those of backends and campaigns are run, and those of frameworks compiled, by tests of their own.
    const read = ["js", "jsx", "ts", "tsx", "json", "css", "html", "sh"];
    const readElsewhere = [
      "vue",
      "svelte",
      "astro",
      "python",
      "php",
      "ruby",
      "go",
      "csharp",
      "csv",
      "md",
      "sql",
    ];
    // Samples without a language are command output and HTTP headers.
    const others = samples.filter(({ language }) => ![...read, ...readElsewhere, ""].includes(language));
    expect(others.map(({ at, language }) => `${at}: ${language}`)).toEqual([]);
    expect(samples.length).toBeGreaterThan(30);
  });

  it("in JavaScript use the package's exports with their types", () => {
    const name = ({ at, language }: Sample) => join(root, `${at.replace(/[/:.]/g, "_")}.${language}`);
    const sources = new Map(inLanguage("js", "jsx", "ts", "tsx").map((sample) => [name(sample), sample]));
    const own = new Map([
      [join(root, "readers-own.ts"), READERS_OWN],
      // What openapi-typescript makes. tests/integration/openapi.test.ts compiles the sample with it.
      [join(root, "api.d.ts"), "export interface components { schemas: any }"],
    ]);
    const options: ts.CompilerOptions = {
      allowJs: true,
      checkJs: true,
      noEmit: true,
      // They are JavaScript, and leave out what only types ask for.
      strict: false,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      moduleDetection: ts.ModuleDetectionKind.Force,
      jsx: ts.JsxEmit.ReactJSX,
      experimentalDecorators: true,
      useDefineForClassFields: false,
      types: ["node"],
      paths: {
        "platform-embed-element": [join(root, "embed-element/src/index.ts")],
        "platform-embed-element/server": [join(root, "embed-element/src/server/index.ts")],
        "platform-embed-element/react": [join(root, "embed-element/src/react.ts")],
        "platform-embed-element/protocol": [join(root, "embed-element/protocol.ts")],
      },
    };
    const host = ts.createCompilerHost(options);
    const textOfSource = (path: string) => own.get(path) ?? sources.get(path)?.code;
    const { getSourceFile, fileExists } = host;
    host.fileExists = (path) => textOfSource(path) !== undefined || fileExists(path);
    host.getSourceFile = (path, version, ...rest) => {
      const text = textOfSource(path);
      return text === undefined
        ? getSourceFile(path, version, ...rest)
        : ts.createSourceFile(path, text, version);
    };
    const program = ts.createProgram([...sources.keys(), ...own.keys()], options, host);
    const problems = [...sources].flatMap(([path, { at }]) => {
      const file = program.getSourceFile(path);
      return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
        ({ messageText }) => `${at}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
      );
    });
    expect(problems).toEqual([]);
  });

  it("in JSON can be parsed", () => {
    for (const { at, code } of inLanguage("json")) expect(() => JSON.parse(code), at).not.toThrow();
  });

  it("in CSS and HTML use the element's properties, attributes and parts", async () => {
    const { element } = describeElement();
    const namesOf = (described: { name: string }[] = []) => described.map(({ name }) => name);
    const attributes = [...namesOf(element.attributes), "style", "class", "id"];
    const cssProperties = namesOf(element.cssProperties);
    const slots = namesOf(element.slots);
    for (const { at, code } of inLanguage("css")) {
      const { warnings } = await transform(code, { loader: "css" });
      expect(warnings, at).toEqual([]);
    }
    for (const { at, code } of inLanguage("css", "html")) {
      const properties = code.match(/--platform-embed-[\w-]+/g) ?? [];
      expect(cssProperties, at).toEqual(expect.arrayContaining(properties));
    }
    for (const { at, code } of inLanguage("html")) {
      const used = [...code.matchAll(/<platform-embed\s+([^>]*?)>/g)].flatMap(([, text = ""]) =>
        [...text.matchAll(/([\w-]+)=(?:"[^"]*"|'[^']*')/g)].map(([, attribute]) => attribute),
      );
      expect(attributes, at).toEqual(expect.arrayContaining(used));
      const inSlots = [...code.matchAll(/ slot="(\w+)"/g)].map(([, slot]) => slot);
      expect(slots, at).toEqual(expect.arrayContaining(inSlots));
    }
  });

  it("in shell have valid syntax, and use scripts and options that exist", () => {
    const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
    for (const { at, code } of inLanguage("sh")) {
      expect(() => execFileSync("bash", ["-n"], { input: code }), at).not.toThrow();
      for (const [, script = "", words = ""] of code
        .replaceAll("\\\n", " ")
        .matchAll(/^npm run ([\w:]+)(?: -- ([^\n#]*))?/gm)) {
        const file = /tsx ([\w/.-]+)/.exec(scripts[script] ?? "")?.[1];
        expect(scripts, `${at}: npm run ${script}`).toHaveProperty([script]);
        for (const option of words.match(/--[\w-]+/g) ?? [])
          expect(commandText(file ?? ""), `${at}: ${option} of npm run ${script}`).toMatch(
            new RegExp(`${option}[ "]`),
          );
      }
    }
  });
});

/** The source of a command, with what it imports from the folder that it lies in. */
function commandText(file: string): string {
  const text = textOf(file);
  const folder = file.slice(0, file.lastIndexOf("/") + 1);
  const imported = [...text.matchAll(/from "\.\/([\w./-]+)"/g)].map(([, name]) => `${folder}${name}.ts`);
  return [file, ...imported]
    .filter((path) => existsSync(join(root, path)))
    .map(textOf)
    .join("\n");
}
