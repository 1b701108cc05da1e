/** The embed as a page's HTML declares it. */
export interface PageTags {
  /** the attributes of the first `<platform-embed>`; null without one: a script may make it */
  embed: ReadonlyMap<string, string> | null;
  /** the names of all custom elements in the page */
  others: string[];
  /** the attributes of the element's script tag */
  script: ReadonlyMap<string, string> | null;
  /** the content of each `<meta http-equiv="Content-Security-Policy">` */
  policies: string[];
  /** the content of `<meta name="referrer">` */
  referrer: string;
}

/** Reads the tags of HTML as a server sends it. */
export function readPage(html: string): PageTags {
  const text = html.replace(/<!--.*?-->/gs, "");
  const tags = (name: string) =>
    [...text.matchAll(new RegExp(`<${name}(?=[\\s/>])((?:[^>"']|"[^"]*"|'[^']*')*)>`, "gi"))].map(
      ([, inside]) => readAttributes(inside ?? ""),
    );
  const metas = tags("meta");
  const script =
    tags("script").find((tag) => /\/platform-embed(@[^/]*)?\.js/.test(tag.get("src") ?? "")) ?? null;
  const [embed = null] = tags("platform-embed");
  const contentOf = (meta: ReadonlyMap<string, string>) => meta.get("content") ?? "";
  return {
    embed: script === null ? withProperties(embed) : embed,
    others: [...text.matchAll(/<([a-z]+-[\w-]+)/gi)].map(([, name = ""]) => name.toLowerCase()),
    script,
    policies: metas
      .filter((meta) => meta.get("http-equiv")?.toLowerCase() === "content-security-policy")
      .map(contentOf),
    referrer:
      metas
        .filter((meta) => meta.get("name")?.toLowerCase() === "referrer")
        .map(contentOf)
        .at(-1) ?? "",
  };
}

/** The properties whose attributes have another name. */
const PROPERTIES: Record<string, string> = { tokenendpoint: "token-endpoint", frametitle: "frame-title" };

/**
 * Names properties as attributes. React writes a component's properties into the HTML of its server under their own names, and sets them
 * in the browser. A page with the script tag has nobody who would set them.
 */
function withProperties(embed: ReadonlyMap<string, string> | null): ReadonlyMap<string, string> | null {
  if (embed === null) return null;
  return new Map([...embed].map(([name, value]) => [PROPERTIES[name] ?? name, value]));
}

function readAttributes(inside: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single, bare] of inside.matchAll(
    /([^\s"'=/>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g,
  )) {
    const value = double ?? single ?? bare ?? "";
    if (!attributes.has(name.toLowerCase())) attributes.set(name.toLowerCase(), decode(value));
  }
  return attributes;
}

const ENTITIES: Record<string, string> = {
  amp: "&",
  quot: '"',
  apos: "'",
  "#39": "'",
  "#34": '"',
  lt: "<",
  gt: ">",
};
const decode = (value: string) => value.replace(/&(#?\w+);/g, (all, name: string) => ENTITIES[name] ?? all);
