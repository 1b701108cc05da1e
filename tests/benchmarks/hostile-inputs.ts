/**
 * `npm run bench:hostile`: looks for inputs that cost much processor time. Every field of every address gets hostile texts and values
 * at its largest accepted length and at the body's; then a search varies the worst of them. Each goes through schema and handler,
 * up to the provider's edge, in this process. Prints the ten worst; exit code 1 when one is over the limit, or ends in an error that
 * is not the caller's. docs/decisions/0044-input-is-bounded-by-work.md
 */
import { Command } from "commander";
import { AppError } from "../../app/app-error";
import { hostileBodies, withValue } from "./hostile/bodies";
import { bodyTargets, lineTargets, MAX_LINE_LENGTH } from "./hostile/targets";
import { cook, createRandom, hostileTexts, mutate, type Recipe, randomRecipe } from "./hostile/texts";

const options = new Command("npm run bench:hostile --")
  .description("Looks for inputs that cost much processor time.")
  .option("--seconds <count>", "how long to search, after the list of known ones", Number, 60)
  .option("--seed <number>", "of the search", Number, 1)
  .option("--limit <milliseconds>", "the most that an input may cost", Number, 50)
  .option("--only <text>", "only addresses with this in their name", "")
  .parse()
  .opts<{ seconds: number; seed: number; limit: number; only: string }>();

interface Input {
  label: string;
  run: () => unknown;
}
interface Measured extends Input {
  milliseconds: number;
  outcome: string;
}

const encoder = new TextEncoder();
const worst: Measured[] = [];
let count = 0;

/** Processor time of one run, which other processes do not count for, and how it ended. */
async function once({ run }: Input): Promise<{ milliseconds: number; outcome: string }> {
  const before = process.cpuUsage();
  let outcome = "accepted";
  try {
    await run();
  } catch (error) {
    if (error instanceof AppError) outcome = error.issues?.[0]?.message ?? error.code;
    else outcome = `NOT OURS: ${String(error)}`;
  }
  const { user, system } = process.cpuUsage(before);
  return { milliseconds: (user + system) / 1000, outcome };
}

/** Processor time, of which a run that seems to cost much takes the least of four: a pause for garbage belongs to nobody. */
async function measure(input: Input): Promise<number> {
  count++;
  let { milliseconds, outcome } = await once(input);
  const bar = Math.max(worst.length < 10 ? 0 : (worst.at(-1)?.milliseconds ?? 0), 2);
  const isNotOurs = outcome.startsWith("NOT OURS");
  for (let more = 0; more < 3 && milliseconds > bar && milliseconds < 2_000; more++) {
    milliseconds = Math.min(milliseconds, (await once(input)).milliseconds);
  }
  if (milliseconds > bar || isNotOurs) {
    worst.push({ ...input, milliseconds: isNotOurs ? 1e9 : milliseconds, outcome });
    worst.sort((a, b) => b.milliseconds - a.milliseconds);
    // The ten worst of all would be ten spellings of one: two of each field are enough.
    const seen = new Map<string, number>();
    const kept = worst.filter(({ label }) => {
      const field = label.split(":")[0] ?? "";
      seen.set(field, (seen.get(field) ?? 0) + 1);
      return (seen.get(field) ?? 0) <= 2;
    });
    worst.splice(0, worst.length, ...kept.slice(0, 10));
  }
  return milliseconds;
}

const shown = (text: string) => {
  const json = JSON.stringify(text);
  return json.length > 60 ? `${json.slice(0, 40)}…${json.slice(-15)}` : json;
};
const json = (value: unknown) => encoder.encode(JSON.stringify(value));

/** A field, and how to ask for it with a text. */
const fields: { name: string; lengths: number[]; input: (text: string) => Input }[] = [
  ...bodyTargets.flatMap(({ name, valid, texts, maxBytes, run }) =>
    texts.map(({ path, length, times = 1 }) => ({
      name: `${name} ${path}`,
      lengths: [length, Math.floor(maxBytes / 4)],
      input: (text: string): Input => {
        const most = Math.floor((maxBytes - 2_000) / (json(text).length + 3));
        const bytes = json(withValue(valid, path, text, Math.max(1, Math.min(times, most))));
        return { label: `${name} ${path}: ${shown(text)}`, run: () => run(bytes) };
      },
    })),
  ),
  ...lineTargets.map(({ name, run }) => ({
    name,
    lengths: [MAX_LINE_LENGTH],
    input: (text: string): Input => {
      // Bytes of a header are read as Latin 1, and cannot be all.
      const line = name.startsWith("GET") ? text : text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "é");
      return { label: `${name}: ${shown(line)}`, run: () => run(line) };
    },
  })),
].filter(({ name }) => name.includes(options.only));

// What runs often has been compiled.
for (let round = 0; round < 300; round++) {
  for (const { valid, run } of bodyTargets) await once({ label: "", run: () => run(json(valid)) });
}

for (const target of bodyTargets.filter(({ name }) => name.includes(options.only))) {
  for (const [label, body] of hostileBodies(target)) {
    const bytes = encoder.encode(body);
    await measure({ label: `${target.name} ${label}`, run: () => target.run(bytes) });
  }
}
for (const { name, lengths, input } of fields) {
  const [accepted = 0, body] = lengths;
  for (const text of hostileTexts(accepted, name.endsWith("description") ? 5 : 11))
    await measure(input(text));
  if (body !== undefined) for (const text of hostileTexts(body, 97)) await measure(input(text));
}
console.log(`${count} known inputs; searching for ${options.seconds} s with seed ${options.seed} …`);

const random = createRandom(options.seed);
const end = performance.now() + options.seconds * 1000;
for (let round = 0; performance.now() < end; round++) {
  // Every other climb is for the text that is read the closest.
  const descriptions = fields.filter(({ name }) => name.endsWith("description"));
  const pool = round % 2 === 0 && descriptions.length > 0 ? descriptions : fields;
  const field = pool[Math.floor(random() * pool.length)];
  if (field === undefined) break;
  const length = field.lengths[0] ?? 0;
  let best: { recipe: Recipe; milliseconds: number } | undefined;
  for (let step = 0, since = 0; since < 40 && step < 400 && performance.now() < end; step++, since++) {
    const recipe = best && step > 10 ? mutate(best.recipe, random) : randomRecipe(random);
    const milliseconds = await measure(field.input(cook(recipe, length)));
    if (best === undefined || milliseconds > best.milliseconds) {
      best = { recipe, milliseconds };
      since = 0;
    }
  }
}

console.log(`${count} inputs. The worst, in processor time:`);
for (const { milliseconds, label, outcome } of worst) {
  console.log(`${milliseconds.toFixed(1).padStart(8)} ms  ${label}\n             ${outcome.slice(0, 120)}`);
}
const over = worst.filter(({ milliseconds }) => milliseconds > options.limit);
if (over.length > 0) {
  console.error(`${over.length} over the limit of ${options.limit} ms.`);
  process.exit(1);
}
