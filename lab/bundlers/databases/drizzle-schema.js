import { integer, pgEnum, pgTable, text } from "drizzle-orm/pg-core";

export const kind = pgEnum("kind", ["novel", "poem"]);

export const books = pgTable("books", {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  title: text().notNull().unique(),
  kind: kind(),
});
