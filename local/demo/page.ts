/** What a page of the demo is made of. One file for each page, in `pages/`; `pages/index.ts` lists them. */

export interface DemoContext {
  /** where an integrator's backend calls, and its browser's pages load the element from */
  apiBaseUrl: string;
  platformBaseUrl: string;
  bucket: string;
  /** of the request */
  query: URLSearchParams;
}

export interface DemoPage {
  path: string;
  /** in the menu */
  label: string;
  title: string;
  /** one sentence under the title */
  lead: string;
  /** HTML */
  render(context: DemoContext): string;
}

/** Text as HTML: nothing in it is markup, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
