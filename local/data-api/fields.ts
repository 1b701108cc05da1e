/** PostgreSQL's values as the Data API writes them. RDS Data API reference, "Field" and "ColumnMetadata". */
import { type FieldDef, types } from "pg";

type Field = Record<string, unknown>;

interface ColumnType {
  name: string;
  /** number of the type in java.sql.Types, which the service reports */
  jdbc: number;
  field: (text: string) => Field;
}

const asText = (text: string): Field => ({ stringValue: text });
const asLong = (text: string): Field => ({ longValue: Number(text) });
const asDouble = (text: string): Field => ({ doubleValue: Number(text) });

const { builtins } = types;
const columnTypes = new Map<number, ColumnType>([
  [builtins.BOOL, { name: "bool", jdbc: -7, field: (text) => ({ booleanValue: text === "t" }) }],
  [builtins.INT2, { name: "int2", jdbc: 5, field: asLong }],
  [builtins.INT4, { name: "int4", jdbc: 4, field: asLong }],
  [builtins.INT8, { name: "int8", jdbc: -5, field: asLong }],
  [builtins.OID, { name: "oid", jdbc: -5, field: asLong }],
  [builtins.FLOAT4, { name: "float4", jdbc: 7, field: asDouble }],
  [builtins.FLOAT8, { name: "float8", jdbc: 8, field: asDouble }],
  [builtins.NUMERIC, { name: "numeric", jdbc: 2, field: asText }],
  [builtins.BYTEA, { name: "bytea", jdbc: -2, field: asBlob }],
  [builtins.DATE, { name: "date", jdbc: 91, field: asText }],
  [builtins.TIME, { name: "time", jdbc: 92, field: asText }],
  [builtins.TIMESTAMP, { name: "timestamp", jdbc: 93, field: asText }],
  [
    builtins.TIMESTAMPTZ,
    { name: "timestamptz", jdbc: 93, field: (text) => asText(text.replace(/[+-]00$/, "")) },
  ],
  [builtins.TEXT, { name: "text", jdbc: 12, field: asText }],
  [builtins.VARCHAR, { name: "varchar", jdbc: 12, field: asText }],
  // The system catalogue's `name`; pg has no constant for it, nor for arrays.
  [19, { name: "name", jdbc: 12, field: asText }],
  [builtins.JSON, { name: "json", jdbc: 1111, field: asText }],
  [builtins.JSONB, { name: "jsonb", jdbc: 1111, field: asText }],
  [builtins.UUID, { name: "uuid", jdbc: 1111, field: asText }],
  [1000, arrayOf(1000, "_bool", "booleanValues")],
  [1005, arrayOf(1005, "_int2", "longValues")],
  [1007, arrayOf(1007, "_int4", "longValues")],
  [1009, arrayOf(1009, "_text", "stringValues")],
  [1015, arrayOf(1015, "_varchar", "stringValues")],
  [1016, arrayOf(1016, "_int8", "longValues", Number)],
  [1022, arrayOf(1022, "_float8", "doubleValues")],
]);

const other: ColumnType = { name: "other", jdbc: 1111, field: asText };

/** A value in PostgreSQL's text form; null is SQL's. */
export function toField(text: string | null, { dataTypeID }: FieldDef): Field {
  return text === null ? { isNull: true } : (columnTypes.get(dataTypeID) ?? other).field(text);
}

export function toColumnMetadata(column: FieldDef): Record<string, unknown> {
  const { name, jdbc } = columnTypes.get(column.dataTypeID) ?? other;
  return {
    name: column.name,
    label: column.name,
    type: jdbc,
    typeName: name,
    nullable: 2,
    precision: 0,
    scale: 0,
    schemaName: "",
    tableName: "",
    arrayBaseColumnType: 0,
    isAutoIncrement: false,
    isCaseSensitive: jdbc === 12,
    isCurrency: false,
    isSigned: [2, 4, 5, -5, 7, 8].includes(jdbc),
  };
}

/** `\x…` in hexadecimal to base64 */
function asBlob(text: string): Field {
  return { blobValue: Buffer.from(text.slice(2), "hex").toString("base64") };
}

function arrayOf(oid: number, name: string, member: string, convert?: (item: string) => unknown): ColumnType {
  const parse: (text: string) => unknown[] = types.getTypeParser(oid);
  return {
    name,
    jdbc: 2003,
    field: (text) => {
      const items = parse(text);
      return { arrayValue: { [member]: convert ? items.map((item) => convert(String(item))) : items } };
    },
  };
}
