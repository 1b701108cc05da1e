import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";
import { listFiles, root, textOf } from "./files";

const files = listFiles().filter((path) => existsSync(join(root, path)));
const markdown = files.filter((path) => path.endsWith(".md") && !path.startsWith("local/demo-files/"));
const texts = files.filter((path) =>
  /\.([cm]?[jt]sx?|css|sql|prisma|md|ya?ml|conf)$|^(Containerfile|\.ci\/run)$/.test(path),
);

/** The anchors that GitHub gives a document's headings. */
function anchorsOf(path: string): string[] {
  const headings = [...withoutCode(textOf(path)).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, text]) =>
    (text ?? "")
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return headings.map((slug, index) => {
    const before = headings.slice(0, index).filter((other) => other === slug).length;
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

function withoutCode(text: string): string {
  return text.replace(/^( *)```[\s\S]*?^\1```/gm, "");
}

/** Returns why a path from the root, with or without an anchor, is broken; undefined if it is valid. */
function brokenTarget(target: string): string | undefined {
  const [path = "", anchor] = target.split("#");
  if (!existsSync(join(root, path))) return "there is no such file";
  if (anchor === undefined || !path.endsWith(".md")) return undefined;
  return anchorsOf(path).includes(anchor) ? undefined : "the document has no such heading";
}

const { repository } = JSON.parse(textOf("embed-element/package.json"));
/** How documents of the element's package link to other files. */
const REPOSITORY = `${repository.url.replace(/^git\+|\.git$/g, "")}/blob/main/`;
/** The links of all documents to files of the repository. */
const links = markdown.flatMap((path) =>
  [...withoutCode(textOf(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target ?? "")
    .filter((target) => target.startsWith(REPOSITORY) || !/^(https?|mailto):/.test(target))
    .map((target) => {
      const isRelative = !target.startsWith(REPOSITORY);
      if (!isRelative) return { from: path, isRelative, target: target.slice(REPOSITORY.length) };
      const file = target.startsWith("#") ? path + target : normalize(join(dirname(path), target));
      return { from: path, isRelative, target: file };
    }),
);

it("every link in a document leads to an existing file and heading", () => {
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter(({ target }) => brokenTarget(target) !== undefined)).toEqual([]);
});

it("no relative link in the element's package leads out of it", () => {
  const isInPackage = (path: string) => path.startsWith("embed-element/");
  const relative = links.filter(({ from, isRelative }) => isRelative && isInPackage(from));
  expect(relative).not.toEqual([]);
  expect(relative.filter(({ target }) => !isInPackage(target))).toEqual([]);
});

it("no relative link of a starter leads out of its folder, which people copy", () => {
  const starterOf = (path: string) => /^examples\/[^/]+\//.exec(path)?.[0];
  const ofStarters = links.filter(({ from, isRelative }) => isRelative && starterOf(from));
  expect(ofStarters).not.toEqual([]);
  expect(ofStarters.filter(({ from, target }) => !target.startsWith(starterOf(from) ?? ""))).toEqual([]);
});

it("every document and heading that a comment or a document mentions exists", () => {
  const decisions = files.filter((path) => path.startsWith("docs/decisions/"));
  const named = texts.flatMap((path) =>
    [
      ...textOf(path).matchAll(
        /(?<![\w/.-])docs\/(?:(?:decisions|examples|images)\/[\w./@-]*\w|[\w/-]+\.md)(?:#[\w-]+)?/g,
      ),
    ].map(([target]) => ({ from: path, target })),
  );
  expect(named.length).toBeGreaterThan(20);
  const isThere = (target: string) =>
    // A decision may be named by its number alone.
    /^docs\/decisions\/\d{4}$/.test(target)
      ? decisions.filter((path) => path.startsWith(`${target}-`)).length === 1
      : brokenTarget(target) === undefined;
  expect(named.filter(({ target }) => !isThere(target))).toEqual([]);
});

it("nothing refers to a document outside the repository", () => {
  const citing = texts.filter((path) =>
    /\b(the|service) specification\b|\bspecification, ["“]|\bdecisions, section \d/i.test(
      textOf(path).replace(/\n[\s*/#-]*/g, " "),
    ),
  );
  expect(citing).toEqual([]);
});
