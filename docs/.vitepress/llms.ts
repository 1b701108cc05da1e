/** Writes every page as Markdown beside its HTML, and llms.txt (https://llmstxt.org), a list of them for language models. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import type { DefaultTheme, SiteConfig } from "vitepress";
import { inRepository, pageOf } from "./links";

type SidebarItem = DefaultTheme.SidebarItem;

interface Page {
  /** its path in docs/, such as guide/email.md */
  path: string;
  title: string;
  /** the first sentence */
  summary: string;
}

/** For VitePress' hook `buildEnd`. */
export function writeMarkdown({ pages: paths, srcDir, outDir, site }: SiteConfig): void {
  const pages = paths.map((path): Page => {
    const markdown = readPage(srcDir, path);
    mkdirSync(dirname(join(outDir, path)), { recursive: true });
    writeFileSync(join(outDir, path), markdown);
    return { path, ...headOf(markdown, site.title) };
  });
  // The HTML has pictures of its own, whose names contain a hash.
  cpSync(join(srcDir, "images"), join(outDir, "images"), { recursive: true });
  const description = `# ${site.title}\n\n> ${site.description}`;
  const sections = sectionsOf(pages, site.themeConfig.sidebar).map(([name, listed]) => {
    const lines = listed.map(({ path, title, summary }) => `- [${title}](${site.base}${path}): ${summary}`);
    return `## ${name}\n\n${lines.join("\n")}`;
  });
  writeFileSync(join(outDir, "llms.txt"), `${[description, ...sections].join("\n\n")}\n`);
}

/**
 * The text of a page without its front matter. A page that includes a document is that document, and the home page is the README.
 * Links lead to pages of the site, or to files of the repository. Pictures are in `images/` of the site.
 */
function readPage(srcDir: string, path: string): string {
  const page = posix.join("docs", path);
  const own = readFileSync(join(srcDir, path), "utf8");
  const [frontMatter = ""] = /^---\n[\s\S]*?\n---\n/.exec(own) ?? [];
  const source = path === "index.md" ? "README.md" : /^source: (.+)$/m.exec(frontMatter)?.[1];
  const text = source ? readFileSync(join(srcDir, "..", source), "utf8") : own.slice(frontMatter.length);
  const withLinks = `${text.trim()}\n`.replace(/\]\(([^)\s]+)\)(\{[^}]*\})?/g, (_, href) => {
    const target = pageOf(href, source ?? page, page) ?? inRepository(href, source ?? page);
    return `](${target})`;
  });
  return withLinks.replace(/(?<= (?:src|srcset)=")[^":]*\bimages\/[^"]+/g, (picture) =>
    posix.relative(posix.dirname(page), posix.join(posix.dirname(source ?? page), picture)),
  );
}

function headOf(markdown: string, siteTitle: string): Pick<Page, "title" | "summary"> {
  const [, title = siteTitle, body = ""] = /^# (.+)\n([\s\S]*)/m.exec(markdown) ?? [];
  // The first paragraph that is neither a heading, a list, a table, a picture nor code.
  const paragraph = body.split(/\n{2,}/).find((text) => /^(?!```)[\p{L}`[*]/u.test(text.trim())) ?? title;
  const [sentence = paragraph] = /^.+?[.:](?=\s|$)/s.exec(paragraph.trim()) ?? [];
  return { title: title.replaceAll("`", ""), summary: sentence.replace(/\s+/g, " ").replace(/:$/, ".") };
}

/** The groups of the sidebar. What can be left out is last, as llms.txt has it. */
function sectionsOf(pages: Page[], sidebar: SidebarItem[]): [name: string, pages: Page[]][] {
  const isOptional = ({ path }: Page) =>
    /^(decisions\/|changelog|contributing|reference\/element-changelog)/.test(path);
  const left = new Map(pages.filter((page) => !isOptional(page)).map((page) => [page.path, page]));
  const take = (path: string) => {
    const page = left.get(path);
    left.delete(path);
    return page ?? [];
  };
  const groups = sidebar.map(({ text = "", items = [] }): [string, Page[]] => [
    text,
    linksOf(items).flatMap((link) => take(pathOf(link))),
  ]);
  const all: [string, Page[]][] = [
    ...groups,
    ["More", [...left.values()]],
    ["Optional", pages.filter(isOptional)],
  ];
  return all.filter(([, listed]) => listed.length > 0);
}

const linksOf = (items: SidebarItem[]): string[] =>
  items.flatMap(({ link, items: inner = [] }) => [...(link ? [link] : []), ...linksOf(inner)]);

/** The page of a link of the sidebar: `/guide/email` and `/decisions/` are guide/email.md and decisions/index.md. */
const pathOf = (link: string) =>
  `${link
    .slice(1)
    .replace(/\/$/, "/index")
    .replace(/\.(md|html)$/, "")}.md`;
