/** PostgreSQL's values as the Data API writes them. RDS Data API reference, "Field". */
import { type FieldDef, types } from "pg";
import { DataApiError } from "./errors";

type Field = Record<string, unknown>;

const asText = (text: string): Field => ({ stringValue: text });
const asLong = (text: string): Field => ({ longValue: Number(text) });
const asDouble = (text: string): Field => ({ doubleValue: Number(text) });

const { builtins } = types;
const fields = new Map<number, (text: string) => Field>([
  [builtins.BOOL, (text) => ({ booleanValue: text === "t" })],
  [builtins.INT2, asLong],
  [builtins.INT4, asLong],
  [builtins.INT8, asLong],
  [builtins.OID, asLong],
  [builtins.FLOAT4, asDouble],
  [builtins.FLOAT8, asDouble],
  [builtins.NUMERIC, asText],
  [builtins.TEXT, asText],
  [builtins.VARCHAR, asText],
  [builtins.DATE, asText],
  [builtins.TIMESTAMP, asText],
  [builtins.TIMESTAMPTZ, (text) => asText(text.replace(/[+-]00$/, ""))],
  [builtins.JSON, asText],
  [builtins.JSONB, asText],
  [builtins.UUID, asText],
]);

/** A value in PostgreSQL's text form; null is SQL's. @throws DataApiError for a type that is not in the table */
export function toField(text: string | null, { name, dataTypeID }: FieldDef): Field {
  if (text === null) return { isNull: true };
  const field = fields.get(dataTypeID);
  if (field) return field(text);
  throw new DataApiError("UnsupportedResultException", `The type of column ${name} is not supported.`);
}
