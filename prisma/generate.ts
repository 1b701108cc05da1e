/** `npm run generate`: writes the typed Prisma client to `prisma/generated`. */
import { text } from "node:stream/consumers";
import { startPrisma } from "./prisma-cli";

const prisma = startPrisma(["generate", "--no-hints"], {}, ["ignore", "pipe", "pipe"]);
const [output, errors, code] = await Promise.all([
  prisma.stdout ? text(prisma.stdout) : "",
  prisma.stderr ? text(prisma.stderr) : "",
  new Promise<number | null>((resolve, reject) => prisma.on("exit", resolve).on("error", reject)),
]);
if (code !== 0) {
  process.stderr.write(`${output}${errors}`);
  console.error("The Prisma client could not be generated. Prisma's output is above.");
}
process.exit(code ?? 1);
