/** The rules of a bucket with `ours` in place of the first that is ours, or else at the end. Further ones of ours go, all others stay. */
export function mergeRules<Rule>(
  found: readonly Rule[],
  ours: Rule,
  isOurs: (rule: Rule) => boolean,
): Rule[] {
  const first = found.findIndex(isOurs);
  if (first === -1) return [...found, ours];
  return found.flatMap((rule, place) => (place === first ? ours : isOurs(rule) ? [] : rule));
}
