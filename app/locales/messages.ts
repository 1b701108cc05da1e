import { type Copy, english } from "./en";
import { french } from "./fr";

export type { Copy };

const languages: Record<string, Copy> = { en: english, fr: french };

/** The words for a BCP 47 tag, by its language alone; English where we do not have it. */
export function copyFor(locale: string): Copy {
  return languages[locale.toLowerCase().split("-")[0] ?? ""] ?? english;
}
