import { isNear } from "./is-near";
import type { PageTags } from "./read-page";
import { ok, type Verdict, warning, wrong } from "./report";

/** The attributes of `<platform-embed>`. A test compares them with what the element declares. */
export const ATTRIBUTES = [
  ...["service", "scope", "token-endpoint", "src", "path", "theme", "locale", "height", "frame-title"],
  ...["filter", "loading", "picker", "accept"],
];

/** Attributes of HTML, some of which look like a misspelling of one above. */
const HTML_ATTRIBUTES = ["part", "lang", "dir", "slot", "title", "style", "class", "role", "is"];

/** Attributes that the templates of Alpine, Vue, Lit or Angular read: `:scope`, `v-scope`, `.theme`, `[theme]`. */
const IN_TEMPLATES = /^([^a-z]|[vx]-)/;

/** Whether the tag is there, and its attributes are ones that the element knows: browsers ignore unknown ones silently. */
export function checkTag({ embed, others }: PageTags): Verdict[] {
  if (!embed) return [withoutTag(others)];
  const misspelled = [...embed.keys()].flatMap((name) => {
    if ([...ATTRIBUTES, ...HTML_ATTRIBUTES].includes(name) || IN_TEMPLATES.test(name)) return [];
    const meant = ATTRIBUTES.find((known) => isNear(name, known));
    if (meant === undefined) return [];
    return [warning(`The tag does not know the attribute ${name}.`, `Did you mean ${meant}?`)];
  });
  if (misspelled.length > 0) return misspelled;

  const scope = embed.get("scope");
  if (!scope) return [ok("The page has a <platform-embed>.")];
  try {
    JSON.parse(scope);
    return [ok("The page has a <platform-embed>, and its scope is JSON.")];
  } catch {
    const remedy = `Write it as JSON: scope='{"bucket":"acme"}'. In a framework, set the property and not the attribute.`;
    return [wrong(`The attribute scope is not JSON: ${scope.slice(0, 60)}`, remedy)];
  }
}

function withoutTag(others: readonly string[]): Verdict {
  const similar = others.find((name) => isNear(name, "platform-embed"));
  if (similar) return wrong(`The page's HTML has a <${similar}>.`, "Write <platform-embed>.");
  return warning(
    "The page's HTML has no <platform-embed>.",
    "That is right where a script makes it. Name its token endpoint with --endpoint.",
  );
}
