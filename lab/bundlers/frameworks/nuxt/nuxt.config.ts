export default defineNuxtConfig({
  compatibilityDate: "2025-07-15",
  telemetry: false,
  vue: { compilerOptions: { isCustomElement: (tag) => tag === "platform-embed" } },
  app: { head: { title: "App", link: [{ rel: "icon", href: "data:," }] } },
});
