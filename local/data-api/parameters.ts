/** Named parameters (`:name`) of a statement, as PostgreSQL's numbered ones. RDS Data API reference, "SqlParameter". */
import { z } from "zod";
import { DataApiError } from "./errors";

const typeHints = ["DATE", "DECIMAL", "JSON", "TIME", "TIMESTAMP", "UUID"] as const;

export const sqlParameter = z.object({
  name: z.string(),
  typeHint: z.enum(typeHints).optional(),
  value: z
    .object({
      isNull: z.boolean(),
      booleanValue: z.boolean(),
      longValue: z.number(),
      doubleValue: z.number(),
      stringValue: z.string(),
      /** base64 */
      blobValue: z.string(),
    })
    .partial(),
});

type SqlParameter = z.infer<typeof sqlParameter>;

/** What can hold a colon that names no parameter: strings, quoted names, dollar quotes, comments, casts. */
const SKIPPED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|--[^\n]*|\/\*[\s\S]*?\*\/|::/;
const TOKEN = new RegExp(`${SKIPPED.source}|:([A-Za-z_]\\w*)`, "g");

/** The statement and its values in PostgreSQL's order. @throws DataApiError for a name without a value */
export function bindParameters(sql: string, parameters: SqlParameter[]): { text: string; values: unknown[] } {
  const given = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const values: unknown[] = [];
  const places = new Map<string, string>();
  const text = sql.replace(TOKEN, (token, _quote: string | undefined, name: string | undefined) => {
    if (name === undefined) return token;
    const known = places.get(name);
    if (known) return known;
    const parameter = given.get(name);
    if (!parameter) throw new DataApiError("BadRequestException", `Missing parameter ${name}`);
    values.push(readValue(parameter));
    const place = `$${values.length}${castOf(parameter)}`;
    places.set(name, place);
    return place;
  });
  return { text, values };
}

function readValue({ name, value }: SqlParameter): unknown {
  if (value.isNull) return null;
  const [given] = [value.stringValue, value.longValue, value.doubleValue, value.booleanValue].filter(
    (candidate) => candidate !== undefined,
  );
  if (given !== undefined) return given;
  if (value.blobValue !== undefined) return Buffer.from(value.blobValue, "base64");
  throw new DataApiError(
    "BadRequestException",
    `The value of parameter ${name} has a type that is not supported.`,
  );
}

/** The service binds typed values: a string is no number, unless the statement or a hint casts it. */
function castOf({ typeHint, value }: SqlParameter): string {
  if (typeHint) return `::${typeHint === "JSON" ? "jsonb" : typeHint.toLowerCase()}`;
  if (value.longValue !== undefined) return "::int8";
  if (value.doubleValue !== undefined) return "::float8";
  if (value.booleanValue !== undefined) return "::boolean";
  if (value.blobValue !== undefined) return "::bytea";
  return value.stringValue === undefined ? "" : "::text";
}
