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

/**
 * Attributes up to the end of a tag. Without `<` outside of quotes and with a limit, so that the time for many tags without an end does not
 * grow with the square of their number.
 */
const ATTRIBUTES = /((?:[^<>"']|"[^"]{0,20000}"|'[^']{0,20000}'){0,20000})>/.source;

/** Reads the tags of HTML as a server sends it. A page of a stranger takes as little time as any other of its length. */
export function readPage(html: string): PageTags {
  const text = withoutComments(html);
  const tags = (name: string) =>
    [...text.matchAll(new RegExp(`<${name}(?=[\\s/>])${ATTRIBUTES}`, "gi"))].map(([, inside]) =>
      readAttributes(inside ?? ""),
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

/** A comment without an end hides the rest of the page, as in browsers. */
function withoutComments(html: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let start = html.indexOf("<!--"); start !== -1; start = html.indexOf("<!--", from)) {
    kept.push(html.slice(from, start));
    const end = html.indexOf("-->", start + "<!--".length);
    if (end === -1) return kept.join("");
    from = end + "-->".length;
  }
  return [...kept, html.slice(from)].join("");
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
