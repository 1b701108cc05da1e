import { defineConfig } from "prisma/config";

/** For Prisma's command-line tools. The app takes its connection from `app/env/env.server.ts`. */
export default defineConfig({
  schema: "schema.prisma",
  migrations: { path: "migrations" },
  datasource: { url: process.env.POSTGRES_URL ?? "" },
});
