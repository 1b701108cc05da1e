import { defineConfig } from "prisma/config";

/** What Prisma's own command-line tools read. The app takes its connection from `app/env.server.ts`. */
export default defineConfig({
  schema: "schema.prisma",
  migrations: { path: "migrations" },
  datasource: { url: process.env.POSTGRES_URL ?? "" },
});
