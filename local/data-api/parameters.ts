/** Named parameters (`:name`) of a statement, as PostgreSQL's numbered ones. RDS Data API reference, "SqlParameter". */
import { z } from "zod";
import { DataApiError } from "./errors";

/** The service binds typed values: a string is no number, unless the statement casts it. */
const CASTS = {
  isNull: "",
  stringValue: "::text",
  longValue: "::int8",
  doubleValue: "::float8",
  booleanValue: "::boolean",
};

export const sqlParameter = z.strictObject({
  name: z.string(),
  value: z
    .strictObject({
      isNull: z.literal(true),
      stringValue: z.string(),
      longValue: z.number(),
      doubleValue: z.number(),
      booleanValue: z.boolean(),
    })
    .partial(),
});

/** What can hold a colon that names no parameter: strings, quoted names, dollar quotes, comments, casts. */
const SKIPPED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|--[^\n]*|\/\*[\s\S]*?\*\/|::/;
const TOKEN = new RegExp(`${SKIPPED.source}|:([A-Za-z_]\\w*)`, "g");

/** The statement and its values in PostgreSQL's order. @throws DataApiError for a name without a value */
export function bindParameters(
  sql: string,
  parameters: z.output<typeof sqlParameter>[],
): { text: string; values: unknown[] } {
  const given = new Map(parameters.map(({ name, value }) => [name, Object.entries(value)[0]]));
  const values: unknown[] = [];
  const places = new Map<string, string>();
  const text = sql.replace(TOKEN, (token, _quote: string | undefined, name: string | undefined) => {
    if (name === undefined) return token;
    const known = places.get(name);
    if (known) return known;
    const [member, value] = given.get(name) ?? [];
    if (!member) throw new DataApiError("BadRequestException", `Missing parameter ${name}`);
    values.push(member === "isNull" ? null : value);
    const place = `$${values.length}${CASTS[member as keyof typeof CASTS]}`;
    places.set(name, place);
    return place;
  });
  return { text, values };
}
