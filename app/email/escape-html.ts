const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** `text` as HTML that shows it, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  // Most texts have none of them, which a test tells sooner than a replacement does.
  return /[&<>"']/.test(text)
    ? text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
    : text;
}
