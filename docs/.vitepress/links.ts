import { posix } from "node:path";
import type { MarkdownRenderer } from "vitepress";

/**
 * Documents lie where a reader of the repository looks for them, and link to one another by their paths there, so that they can be read in
 * either place. Those outside of `docs/` have a page that includes them, and says which in its front matter as `source`.
 */
export const pagesOf: Record<string, string> = {
  "README.md": "index.md",
  "CHANGELOG.md": "changelog.md",
  "CONTRIBUTING.md": "contributing.md",
  "SECURITY.md": "security-policy.md",
  "embed-element/README.md": "reference/element.md",
  "embed-element/CHANGELOG.md": "reference/element-changelog.md",
  "docs/decisions": "decisions/index.md",
};

/** How documents of the element's package link to other files of the repository: a reader of the package has only the package. */
export const REPOSITORY = "https://github.com/platform-embed/platform-embed/blob/main/";

/** Leads each link of a document to the page of what it names. What has no page, such as a source file, is in the repository. */
export function linkPages(md: MarkdownRenderer): void {
  md.core.ruler.push("link-pages", (state) => {
    const page = posix.join("docs", state.env.relativePath);
    const source = state.env.frontmatter?.source ?? page;
    for (const block of state.tokens) {
      for (const token of block.children ?? []) {
        if (token.type !== "link_open") continue;
        const href = token.attrGet("href") ?? "";
        token.attrSet("href", pageOf(href, source, page) ?? inRepository(href, source));
      }
    }
  });
}

/** The address in the repository of what `source` links to. */
export const inRepository = (href: string, source: string): string =>
  href.startsWith(REPOSITORY) ? href : REPOSITORY + posix.join(posix.dirname(source), href);

/** A link as it has to stand on `page`, or null where the site has no page for what `source` links to. */
export function pageOf(href: string, source: string, page: string): string | null {
  const isInRepository = href.startsWith(REPOSITORY);
  if (!isInRepository && /^([a-z]+:|#|\/)/.test(href)) return href;
  const [path = "", anchor] = href.replace(REPOSITORY, "").split("#");
  const target = posix.join(isInRepository ? "" : posix.dirname(source), path).replace(/\/$/, "");
  const inDocs = pagesOf[target] ?? (/^docs\/.+\.md$/.test(target) ? target.slice("docs/".length) : null);
  if (inDocs === null) return null;
  const relative = posix.relative(posix.dirname(page), posix.join("docs", inDocs));
  return `${relative.startsWith(".") ? relative : `./${relative}`}${anchor === undefined ? "" : `#${anchor}`}`;
}
