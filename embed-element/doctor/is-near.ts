import { distance } from "fastest-levenshtein";

/** Whether a person may have meant `known`: without hyphens and underscores, two letters differ at most; in a short name one. */
export function isNear(name: string, known: string): boolean {
  const [from, to] = [name, known].map((text) => text.replaceAll(/[-_]/g, "")) as [string, string];
  return distance(from, to) <= (to.length > 4 ? 2 : 1);
}
