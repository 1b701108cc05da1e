import type { Language } from "./messages.js";

export type LoadLanguages = () => Promise<{ languages: Readonly<Record<string, Language>> }>;

/** Loads every language but English. They are a module of their own, so that readers of English never load them. */
export const loadLanguages: LoadLanguages = () => import("./languages.js");
