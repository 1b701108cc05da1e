import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitepress";
import { proxyToLocalStack, readLocalStack } from "../local-stack";
import { linkPages } from "./links";
import { writeMarkdown } from "./llms";
import { anchorOf, codeIsNoTemplate, emptyHeadsAreCells } from "./markdown";

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
  vite: {
    server: { proxy: proxyToLocalStack() },
    // The base URL of the platform on this machine, or an empty text.
    define: { __LOCAL_PLATFORM__: JSON.stringify(readLocalStack()?.platformBaseUrl ?? "") },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === "platform-embed" } } },
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
  buildEnd: writeMarkdown,
  // The theme's home page has no landmark for its content.
  transformHtml: (html) =>
    html.replace(/<div(?=[^>]*\bid="VPContent")(?=[^>]*\bis-home\b)/, '$& role="main"'),
  themeConfig: {
    search: {
      provider: "local",
      options: {
        // Search is for people who want to do something. Decisions and changelogs say why and when.
        _render: (source, env, md) =>
          /^(decisions\/|changelog|contributing|reference\/element-changelog)/.test(env.relativePath)
            ? ""
            : md.render(source, env),
        miniSearch: {
          options: {
            // Words that every page has would make a question find long pages. The browser gets this function as text, too.
            processTerm: (term: string) =>
              /^(a|an|and|are|as|at|be|but|by|can|could|do|does|for|from|had|has|have|how|i|if|in|is|it|its|me|must|my|of|on|or|our|should|that|the|their|then|there|they|this|to|want|was|we|what|when|where|which|while|who|why|will|with|would|you|your)$/i.test(
                term,
              )
                ? null
                : term.toLowerCase(),
          },
          searchOptions: {
            // Guides come before the reference. The browser gets this function as text, so it uses nothing from outside.
            boostDocument: (id: string) => (id.startsWith("/guide/") ? 2 : 1),
          },
        },
      },
    },
    outline: [2, 3],
    nav: [
      {
        text: "Tutorials",
        link: "/guide/getting-started",
        activeMatch: "/guide/(getting-started|first-campaign)",
      },
      { text: "How-to", link: "/how-to", activeMatch: "/how-to" },
      { text: "Reference", link: "/reference/element", activeMatch: "/(reference/|contract)" },
      {
        text: "Explanation",
        link: "/guide/concepts",
        activeMatch: "/(guide/concepts|guide/security|guide/trust-boundaries|decisions/)",
      },
    ],
    sidebar: [
      {
        text: "Tutorials",
        items: [
          { text: "Getting started", link: "/guide/getting-started" },
          { text: "Your first campaign", link: "/guide/first-campaign" },
        ],
      },
      {
        text: "How-to: put it into your app",
        collapsed: false,
        items: [
          { text: "All how-to guides", link: "/how-to" },
          { text: "Your backend", link: "/guide/backends" },
          {
            text: "Other backends",
            collapsed: true,
            items: [
              { text: "Python", link: "/guide/backends/python" },
              { text: "PHP", link: "/guide/backends/php" },
              { text: "Ruby", link: "/guide/backends/ruby" },
              { text: "Go", link: "/guide/backends/go" },
              { text: "C#", link: "/guide/backends/csharp" },
              { text: "Another language", link: "/guide/backends/another-language" },
            ],
          },
          { text: "Plain HTML", link: "/guide/frameworks/html" },
          { text: "React", link: "/guide/frameworks/react" },
          { text: "Next.js", link: "/guide/frameworks/next" },
          { text: "Vue and Nuxt", link: "/guide/frameworks/vue" },
          { text: "Svelte and SvelteKit", link: "/guide/frameworks/svelte" },
          { text: "Angular", link: "/guide/frameworks/angular" },
          { text: "Astro", link: "/guide/frameworks/astro" },
          { text: "An iframe without the element", link: "/guide/iframe" },
          { text: "In a modal or a tab", link: "/guide/modal-or-tab" },
          { text: "On a phone or in a webview", link: "/guide/phone-or-webview" },
          { text: "Content security policy", link: "/guide/content-security-policy" },
        ],
      },
      {
        text: "How-to: what visitors may do",
        collapsed: false,
        items: [
          { text: "A folder for each customer", link: "/guide/customer-folders" },
          { text: "Read-only permissions", link: "/guide/read-only" },
          { text: "Limit size and types", link: "/guide/limits" },
          { text: "Large uploads", link: "/guide/large-uploads" },
          { text: "Large buckets: search, sizes, quotas", link: "/guide/large-buckets" },
          { text: "Hand-in page", link: "/guide/hand-in-page" },
          { text: "Choose a file", link: "/guide/choose-files" },
          { text: "Bring back files", link: "/guide/bring-back-files" },
          { text: "Only scanned files", link: "/guide/only-scanned-files" },
          { text: "Log out", link: "/guide/sign-out" },
          { text: "Temporary access", link: "/guide/temporary-access" },
        ],
      },
      {
        text: "How-to: look and reactions",
        collapsed: false,
        items: [
          { text: "Brand colours and dark mode", link: "/guide/theming" },
          { text: "Another language", link: "/guide/another-language" },
          { text: "Your own actions", link: "/guide/own-actions" },
          { text: "Your own file browser", link: "/guide/own-file-browser" },
          { text: "React to uploads", link: "/guide/react-to-uploads" },
          { text: "Webhooks", link: "/guide/webhooks" },
          { text: "Who did what", link: "/guide/who-did-what" },
        ],
      },
      {
        text: "How-to: e-mail and databases",
        collapsed: false,
        items: [
          { text: "Themed e-mail", link: "/guide/email" },
          { text: "Databases", link: "/guide/databases" },
        ],
      },
      {
        text: "How-to: run it",
        collapsed: false,
        items: [
          { text: "Move to production", link: "/guide/production" },
          { text: "Edit a client in Prisma Studio", link: "/guide/prisma-studio" },
          { text: "Replicas: nginx, systemd, Kubernetes", link: "/guide/replicas" },
          { text: "Firewall", link: "/guide/firewall" },
          { text: "A bucket in Amazon S3", link: "/guide/buckets" },
          { text: "Other stores: R2, MinIO, Ceph", link: "/guide/other-stores" },
          { text: "Bounces and complaints", link: "/guide/bounces" },
          { text: "Behind PgBouncer", link: "/guide/pgbouncer" },
          { text: "What it costs to run", link: "/guide/costs" },
          { text: "Operate: metrics, alerts, log", link: "/guide/operating" },
          { text: "When a customer calls", link: "/guide/when-a-customer-calls" },
          { text: "When PostgreSQL is down", link: "/guide/database-down" },
          { text: "Change secrets", link: "/guide/change-secrets" },
          { text: "Upgrade, and go back", link: "/guide/upgrading" },
          { text: "Back up and restore", link: "/guide/back-up" },
          { text: "Check a release", link: "/guide/check-a-release" },
          { text: "Repeat what we claim", link: "/guide/repeat-our-claims" },
        ],
      },
      {
        text: "Reference",
        items: [
          { text: "&lt;platform-embed&gt;", link: "/reference/element" },
          { text: "API", link: "/reference/api" },
          { text: "Errors", link: "/reference/errors" },
          { text: "Accessibility", link: "/reference/accessibility" },
          { text: "Environment variables", link: "/reference/settings" },
          { text: "The contract", link: "/contract" },
        ],
      },
      {
        text: "Explanation",
        items: [
          { text: "How it works", link: "/guide/concepts" },
          { text: "Security model", link: "/guide/security" },
          { text: "Trust boundaries", link: "/guide/trust-boundaries" },
        ],
      },
      {
        text: "Project",
        collapsed: true,
        items: [
          { text: "Changelog", link: "/changelog" },
          { text: "Changelog of the package", link: "/reference/element-changelog" },
          { text: "Contributing", link: "/contributing" },
          { text: "Security policy", link: "/security-policy" },
        ],
      },
      { text: "Decisions", collapsed: true, link: "/decisions/", items: decisions },
    ],
  },
});
