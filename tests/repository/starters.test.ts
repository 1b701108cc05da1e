import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listFiles, root, textOf } from "./files";

/**
 * Each starter is copied out alone, so it has its own copies of shared files. `headless` is none: it does not embed the explorer, and
 * `tests/e2e/features/headless.spec.ts` runs it.
 */
const starters = readdirSync(join(root, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "headless")
  .map(({ name }) => name);

it("all starters have the same style sheet", () => {
  const sheets = listFiles().filter((path) => /^examples\/.+\/style\.css$/.test(path));
  expect(sheets.length).toBe(starters.length);
  for (const path of sheets) expect(textOf(path), path).toBe(textOf("examples/flask/static/style.css"));
});

it.each(starters)("the starter %s keeps its settings out of git, and is tested and listed", (name) => {
  expect(textOf(`examples/${name}/.gitignore`)).toMatch(/^\.env$/m);
  expect(textOf(`examples/${name}/.env.example`)).toMatch(/^EMBED_API_KEY=$/m);
  expect(textOf(`examples/${name}/README.md`)).toContain(`cp -r examples/${name} ../portal`);
  expect(textOf("examples/README.md")).toContain(`(${name}/README.md)`);
  expect(textOf("lab/bundlers/starters.spec.ts")).toMatch(new RegExp(`^  "?${name}"?: `, "m"));
});

it.each(starters.filter((name) => existsSync(join(root, `examples/${name}/package.json`))))(
  "the starter %s has exact versions, which its lockfile has too",
  (name) => {
    const { dependencies, devDependencies, engines } = JSON.parse(textOf(`examples/${name}/package.json`));
    const versions = Object.values({ ...dependencies, ...devDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(String(version)))).toEqual([]);
    const locked = JSON.parse(textOf(`examples/${name}/package-lock.json`)).packages[""];
    expect(locked).toMatchObject({ dependencies, devDependencies, engines });
  },
);

it.each(starters.filter((name) => existsSync(join(root, `examples/${name}/package.json`))))(
  "the starter %s says which Node it needs, the oldest that the product runs on",
  (name) => {
    const { engines } = JSON.parse(textOf("package.json"));
    expect(JSON.parse(textOf(`examples/${name}/package.json`)).engines).toEqual(engines);
    expect(textOf(`examples/${name}/README.md`)).toContain(`Node ${engines.node.replace(">=", "")} or newer`);
  },
);

/** Without what each integrator writes: the functions about the visitor. */
const withoutVisitor = (text: string, from: string, to: string) =>
  text.slice(0, text.indexOf(from)) + text.slice(text.indexOf(to));

it("Flask's token endpoint is the guide's", () => {
  const endpoint = (path: string) =>
    withoutVisitor(textOf(path), "def scope_of_visitor", "@embed_url.post").split('"""').slice(2).join('"""');
  const starter = endpoint("examples/flask/embed_url.py");
  const ours = starter.replace("\n\nfrom users import current_user, scope_of\n", "\n");
  const guide = endpoint("docs/examples/backends/embed_url.py");
  expect(ours).toBe(guide.replace("import Blueprint, request, session\n", "import Blueprint, request\n"));
});

it("PHP's token endpoint is the guide's", () => {
  const starter = withoutVisitor(
    textOf("examples/php/app/embed-url.php"),
    "/** What this visitor may see",
    "/** @return array{array, int",
  );
  const guide = withoutVisitor(
    textOf("docs/examples/backends/embed-url.php"),
    "/** What this visitor may see",
    "/** @return array{array, int",
  );
  const code = (text: string) => text.slice(text.indexOf("declare(strict_types=1);"));
  expect(code(guide).startsWith(code(starter))).toBe(true);
  expect(code(guide).slice(code(starter).length)).toMatch(/^\nini_set\(/);
});
