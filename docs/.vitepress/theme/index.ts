import { onContentUpdated } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { h } from "vue";
import HomeDemo from "./HomeDemo.vue";
import "./style.css";

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "home-hero-after": () => h(HomeDemo) }),
  setup() {
    onContentUpdated(markMain);
  },
};

/** The home page of the theme has no `<main>`, as its other pages do. What is served has the role already: see transformHtml. */
function markMain(): void {
  const content = document.querySelector("#VPContent");
  if (content?.classList.contains("is-home")) content.setAttribute("role", "main");
  else content?.removeAttribute("role");
}
