import { type Finding, ok, warning, wrong } from "./finding";
import type { PageTags } from "./read-page";

/** Those of `<platform-embed>`. A test compares them with what the element declares. */
export const ATTRIBUTES = [
  ...["service", "scope", "token-endpoint", "src", "path", "theme", "locale", "height", "frame-title"],
  "loading",
];

/** Of HTML, and close enough to one of the above to be taken for it. */
const OTHERS = ["part", "lang", "dir", "slot", "title", "style", "class", "role", "is"];

/** What a template of Alpine, Vue or Lit reads, and browsers do not: `:scope`, `v-scope`, `.theme`, `[theme]`. */
const IN_TEMPLATES = /^([^a-z]|[vx]-)/;

const CHECK = "page.tag";

/** Whether the tag is there, and written as the element reads it: browsers say nothing of a name that nobody knows. */
export function checkTag({ embed, others }: PageTags): Finding[] {
  if (!embed) return [withoutTag(others)];
  const misspelled = [...embed.keys()].flatMap((name) => {
    if ([...ATTRIBUTES, ...OTHERS].includes(name) || IN_TEMPLATES.test(name)) return [];
    const meant = ATTRIBUTES.find((known) => isNear(name, known));
    return meant
      ? [
          warning(
            CHECK,
            `The tag has an attribute ${name}, which it does not know.`,
            `Did you mean ${meant}?`,
          ),
        ]
      : [];
  });
  if (misspelled.length > 0) return misspelled;

  const scope = embed.get("scope");
  if (!scope) return [ok(CHECK, "The page has a <platform-embed>.")];
  try {
    JSON.parse(scope);
    return [ok(CHECK, "The page has a <platform-embed>, and its scope is JSON.")];
  } catch {
    const remedy = `Write it as JSON: scope='{"bucket":"acme"}'. In a framework, set the property and not the attribute.`;
    return [wrong(CHECK, `The attribute scope is not JSON: ${scope.slice(0, 60)}`, remedy)];
  }
}

function withoutTag(others: readonly string[]): Finding {
  const similar = others.find((name) => isNear(name, "platform-embed"));
  if (similar) return wrong(CHECK, `The page's HTML has a <${similar}>.`, "Write <platform-embed>.");
  return warning(
    CHECK,
    "The page's HTML has no <platform-embed>.",
    "That is right where a script makes it. Name its token endpoint with --endpoint.",
  );
}

/** Whether a person may have meant `known`: the hyphens aside, two letters are another, too many or missing; in a short name one is. */
function isNear(name: string, known: string): boolean {
  const [from, to] = [name, known].map((text) => text.replaceAll("-", ""));
  return from !== undefined && to !== undefined && distance(from, to) <= (to.length > 4 ? 2 : 1);
}

/** Levenshtein's, with two neighbours that changed places counting as one. */
function distance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 2) return Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= to.length; j++) {
      const changed = at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : changed;
      row[j] = Math.min(changed, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1);
    }
  }
  return at(from.length, to.length);
}
