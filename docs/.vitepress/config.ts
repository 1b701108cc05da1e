import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitepress";
import { anchorOf } from "./anchors";
import { codeIsNoTemplate } from "./code";
import { linkPages } from "./links";
import { emptyHeadsAreCells } from "./tables";

const icon = readFileSync(new URL("../../public/icon.svg", import.meta.url), "utf8");

const decisions = readdirSync(new URL("../decisions/", import.meta.url))
  .filter((name) => /^\d/.test(name))
  .sort()
  .map((name) => {
    const title = /^# (.+)$/m.exec(
      readFileSync(new URL(`../decisions/${name}`, import.meta.url), "utf8"),
    )?.[1];
    return { text: title ?? name, link: `/decisions/${name}` };
  });

export default defineConfig({
  title: "Platform Embed",
  description: "A file explorer, themed e-mail and databases that your web app gives to its own customers.",
  head: [["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  srcExclude: ["**/node_modules/**"],
  cleanUrls: false,
  lastUpdated: false,
  // Addresses of the local stack are not there while the site is built.
  ignoreDeadLinks: [/^https?:\/\/(127\.0\.0\.1|localhost)/],
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(md) {
      linkPages(md);
      emptyHeadsAreCells(md);
      codeIsNoTemplate(md);
    },
  },
  // The theme's home page has no landmark for its content.
  transformHtml: (html) =>
    html.replace(/<div(?=[^>]*\bid="VPContent")(?=[^>]*\bis-home\b)/, '$& role="main"'),
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/guide/getting-started" },
      { text: "Reference", link: "/reference/element" },
      { text: "Changelog", link: "/changelog" },
    ],
    sidebar: [
      {
        text: "Start",
        items: [
          { text: "Getting started", link: "/guide/getting-started" },
          { text: "How it works", link: "/guide/concepts" },
        ],
      },
      {
        text: "Put it into your app",
        items: [
          { text: "Plain HTML", link: "/guide/frameworks/html" },
          { text: "React", link: "/guide/frameworks/react" },
          { text: "Next.js", link: "/guide/frameworks/next" },
          { text: "Vue and Nuxt", link: "/guide/frameworks/vue" },
          { text: "Svelte and SvelteKit", link: "/guide/frameworks/svelte" },
          { text: "Angular", link: "/guide/frameworks/angular" },
          { text: "Astro", link: "/guide/frameworks/astro" },
        ],
      },
      {
        text: "Guide",
        items: [
          { text: "Your backend", link: "/guide/backends" },
          { text: "Let people hand in files", link: "/guide/hand-in-page" },
          { text: "Theming", link: "/guide/theming" },
          { text: "Let a customer choose a file", link: "/guide/choose-files" },
          { text: "Your own actions", link: "/guide/own-actions" },
          { text: "Themed e-mail", link: "/guide/email" },
          { text: "Databases", link: "/guide/databases" },
          { text: "Bring back files", link: "/guide/bring-back-files" },
          { text: "Who did what", link: "/guide/who-did-what" },
          { text: "Only scanned files", link: "/guide/only-scanned-files" },
          { text: "Security model", link: "/guide/security" },
          { text: "Going to production", link: "/guide/production" },
          { text: "Operating it", link: "/guide/operating" },
          { text: "Upgrading", link: "/guide/upgrading" },
        ],
      },
      {
        text: "Reference",
        items: [
          { text: "&lt;platform-embed&gt;", link: "/reference/element" },
          { text: "API", link: "/reference/api" },
          { text: "Errors", link: "/reference/errors" },
          { text: "Environment variables", link: "/reference/settings" },
          { text: "The contract", link: "/contract" },
        ],
      },
      {
        text: "Project",
        items: [
          { text: "Changelog", link: "/changelog" },
          { text: "Changelog of the package", link: "/reference/element-changelog" },
          { text: "Contributing", link: "/contributing" },
        ],
      },
      { text: "Decisions", collapsed: true, link: "/decisions/", items: decisions },
    ],
  },
});
