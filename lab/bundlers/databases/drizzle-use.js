import { drizzle } from "drizzle-orm/node-postgres";
import { books } from "./drizzle-schema.js";

const database = drizzle(process.env.DATABASE_URL);
await database.insert(books).values({ title: "Sketch", kind: "poem" });
const found = await database.select().from(books);
console.log(found.map(({ title }) => title).join());
await database.$client.end();
