/** Sentences about broken promises. */

/** Returns one sentence with an example, or none if nothing is wrong. */
export const failure = (wrong: readonly unknown[], text: string): string[] =>
  wrong.length === 0 ? [] : [`${wrong.length} ${text}, such as ${wrong[0]}`];

/** Returns the sentence if the promise is broken. */
export const unless = (isKept: boolean, text: string): string[] => (isKept ? [] : [text]);

/** How often each value occurs. */
export function countEach(values: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Everything that was expected must be there once, and nothing else. */
export function exactlyOnce(
  expected: Iterable<string>,
  found: Iterable<string>,
  texts: { missing: string; extra: string; repeated: string },
): string[] {
  const [wanted, counts] = [new Set(expected), countEach(found)];
  return [
    ...failure(
      [...wanted].filter((value) => !counts.has(value)),
      texts.missing,
    ),
    ...failure(
      [...counts.keys()].filter((value) => !wanted.has(value)),
      texts.extra,
    ),
    ...failure(
      [...counts].filter(([, count]) => count > 1).map(([value]) => value),
      texts.repeated,
    ),
  ];
}
