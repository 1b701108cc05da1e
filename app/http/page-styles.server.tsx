import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const sheets = new Map<string, string>();

/** Reads each built style sheet once. One that is not built yet is left to the browser, by `@import`. */
function readSheet(href: string): string {
  const path = join("public", href);
  const sheet =
    sheets.get(path) ?? (existsSync(path) ? readFileSync(path, "utf8") : `@import ${JSON.stringify(href)};`);
  sheets.set(path, sheet);
  return sheet;
}

/** A page's style sheets, inlined: on a slow network each request costs as much as its content. docs/decisions/0070 */
export function PageStyles({ hrefs, nonce }: { hrefs: string[]; nonce?: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: our style sheets
  return <style nonce={nonce} dangerouslySetInnerHTML={{ __html: hrefs.map(readSheet).join("\n") }} />;
}
