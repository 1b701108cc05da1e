import knex from "knex";
import settings from "./knexfile.js";

const database = knex(settings);
await database.transaction((transaction) => transaction("authors").insert({ name: "Ada" }));
console.log((await database("authors").pluck("name")).join());
await database.destroy();
