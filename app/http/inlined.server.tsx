/**
 * What a page carries itself instead of loading it, because on a slow network each request costs as much as all that it brings: style sheets,
 * and the script that runs before all others. Each is read from the build once. docs/decisions/0070
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const texts = new Map<string, string>();

function readOnce(path: string, orElse: string): string {
  const text = texts.get(path) ?? (existsSync(path) ? readFileSync(path, "utf8") : orElse);
  texts.set(path, text);
  return text;
}

/** The style sheets at addresses of ours; one that is not in the build is loaded by the browser. */
export function PageStyles({ hrefs, nonce }: { hrefs: string[]; nonce?: string }) {
  const styles = hrefs.map((href) => readOnce(join("public", href), `@import ${JSON.stringify(href)};`));
  // biome-ignore lint/security/noDangerouslySetInnerHtml: style sheets of ours
  return <style nonce={nonce} dangerouslySetInnerHTML={{ __html: styles.join("\n") }} />;
}

interface EarlyScriptProps {
  nonce: string;
  service: string;
  parentOrigin: string;
  placeKey: string;
}

/** Tells the page around that this one can be seen, and keeps what a person does before the other scripts are there. */
export function EarlyScript({ nonce, service, parentOrigin, placeKey }: EarlyScriptProps) {
  return (
    <script
      nonce={nonce}
      data-service={service}
      data-parent-origin={parentOrigin}
      data-place-key={placeKey}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: app/embed/frame/early-script.ts, as remix.config.js builds it
      dangerouslySetInnerHTML={{ __html: readOnce("build/early-script.js", "") }}
    />
  );
}
