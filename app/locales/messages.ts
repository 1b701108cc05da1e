import type { Messages } from "./en";
import * as languages from "./languages";

export type { Messages };

const byCode: ReadonlyMap<string, Messages> = new Map(Object.entries(languages));

/** The messages for a BCP 47 tag, by its language alone; English where we do not have it. */
export function messagesFor(locale: string): Messages {
  return byCode.get(locale.toLowerCase().split("-")[0] ?? "") ?? languages.en;
}
