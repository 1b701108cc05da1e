/** The package of numfmt 4 names a file of types that it does not contain. These are the parts that are used. */
declare module "numfmt" {
  interface FormatOptions {
    /** a BCP 47 tag */
    locale?: string;
    /** dates before 1900 and after 9999 are shown, not their numbers */
    dateSpanLarge?: boolean;
    /** there is a 29 February 1900, as in Excel */
    leap1900?: boolean;
  }
  interface FormatToken {
    type: string;
    value: string;
    /** as in the pattern */
    raw: string;
  }
  interface LocaleData {
    group: string;
    decimal: string;
    /** names of months */
    mmmm: string[];
    /** ours: the months are as they are beside a day */
    isBesideDay?: boolean;
  }
  /** @throws Error for a pattern that is invalid */
  export function format(pattern: string, value: unknown, options?: FormatOptions): string;
  /** @throws Error for a pattern that is invalid */
  export function tokenize(pattern: string): FormatToken[];
  /** The pattern of a format that files name by its number. @returns null for an unknown id */
  export function getFormatFromId(id: number, locale?: string): string | null;
  export function getLocale(locale: string): LocaleData | undefined;
  export function addLocale(data: Partial<LocaleData>, locale: string): LocaleData;
}
