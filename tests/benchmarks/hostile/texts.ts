/** Hostile texts: what regular expressions, URL parsers and Markdown find hard, repeated up to a length. */

/** Pieces that are repeated. Each is short enough for a search to combine several. */
export const pieces = [
  // letters and what is none
  ..."a A 0 . - _ @ / \\ % & < > \" ' ! | + = # : ; ( ) { } [ ] ` ~ * $ ? ,".split(" "),
  ..." |\t|\n|\r\n|\n\n|\u0000|\u0085|\u00a0|\u00a0\n|\u2028|\u200b|\ufeff".split("|"),
  ..."é ß ﬁ İ 漢 ﷺ ª ⅷ 🎉 ✌🏽 \u0301 \u200d ． 。 xn-- \u202e".split(" "),
  "\ud83d",
  "\udc00",
  // Punycode takes time by the square of how many different letters there are.
  String.fromCharCode(...Array.from({ length: 20_000 }, (_, at) => 0x4e00 + at)),
  // addresses
  ..."a. .a a- a@ a@a. a@a.aa, .. // /.. /./ %41 %25 %E6%BC%A2 %ff http:// https://a https://a/ www. www.a. &b; a:b@c.d mailto:a@a. user:".split(
    " ",
  ),
  "www.a ",
  "https://a ",
  "a:b@c.d ",
  "xmpp:a@b.c/",
  "http://(",
  // Markdown: marks
  ..."*a_ __a* _\ud83d_ _a_\ud83d *a* **a** ***a*** **a* a* a_a a_a_ ~~a~ ~a~ ~~ a! *a~ ~a* *漢_ _🎉_ *(a)_ **(a)*".split(
    " ",
  ),
  "*a ",
  " *a",
  "* a",
  "_a _",
  "**a *b c** d* ",
  // Markdown: links, code, HTML
  ..."`a ``a` a`b``c```d [a]( [a](b [a](b) [a](<b [a][ [a][b] ![ ![a]( [[a] [a[b] [`a`]( [\\] \\[ \\a <a <a> <a@ <!-- <? <![CDATA[ <a:b> &#1; &amp;".split(
    " ",
  ),
  '[a](b "',
  "[a](b 'c",
  "[a](b (",
  '<a b="',
  "<a b=c ",
  "[a]: b\n",
  "[a]: b\n\n",
  "[a]: b 'c\n\n",
  '[a]: <b> "c\n',
  // Markdown: blocks
  ..."- |> |1. |-\n|- a\n|- a\n  |  - a\n|- - |> > > a\nb\n|> a\n|>a\n>|> - a\nb\n|- > a\nb\n|+ \n|1.\n|1) a\n|# a\n|a\n=\n|a\n=b\n|a\n-\n|***\n|- - -\n|a\n|a\n\n".split(
    "|",
  ),
  ..."    a\n|\ta\n|```\n|```a\n|~~~\n|- [ ] a\n|- a\n\n  b\n|  a\n|- a\n b\n|\\\n".split("|"),
  "|a|\n|-|\n",
  "a|b\n-|-\n",
  "a | b\n--- | ---\nc | d\n",
  ":a",
  ":a:",
  ":tada:",
  ":a:a:a",
];

/** What may come before and after: so that a text begins as something that is accepted, or fails only at its end. */
export const frames: readonly (readonly [before: string, after: string])[] = [
  ["", ""],
  ["a", "!"],
  [")", ""],
  ["", ")"],
  ["https://", ""],
  ["https://", ".example/"],
  ["https:", ""],
  ["https://a.example/", ""],
  ["https://a.example/?", "\ud83d"],
  ["mailto:", "@a.example"],
  ["a@", ""],
  ["a@", ".example"],
  ["", "@a.example"],
  ["/", ""],
  ["/a/", "\u0000"],
  ["a/", ";"],
  ["[a](https://", ")"],
  ["[", "](https://a.example)"],
  ["**", "**"],
  ["http://a", ""],
  ["> ", ""],
  ["- ", ""],
  ["[a]: b\n\n", "[a]"],
];

/** `pattern` repeated between `before` and `after`, exactly `length` code units long where that is possible. */
export function fill(pattern: string, length: number, before = "", after = ""): string {
  const room = Math.max(0, length - before.length - after.length);
  return before + pattern.repeat(Math.ceil(room / pattern.length)).slice(0, room) + after;
}

/** Every piece, and of all pieces in all frames one in `step`, at `length`. */
export function* hostileTexts(length: number, step: number): Generator<string> {
  let at = 0;
  for (const [before, after] of frames) {
    for (const piece of pieces) {
      if (before + after === "" || at++ % step === 0) yield fill(piece, length, before, after);
    }
  }
}

/** Random numbers of at least 0 and less than 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a search varies: some pieces after each other, over and over, between two others, one part after the next. */
export interface Recipe {
  parts: { pieces: string[]; share: number; once: boolean }[];
}

const pick = <Item>(items: readonly Item[], random: () => number): Item =>
  items[Math.floor(random() * items.length)] as Item;

const randomPart = (random: () => number): Recipe["parts"][number] => ({
  pieces: Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(pieces, random)),
  share: random() + 0.05,
  once: random() < 0.25,
});

export function randomRecipe(random: () => number): Recipe {
  return { parts: Array.from({ length: 1 + Math.floor(random() * 3) }, () => randomPart(random)) };
}

/** A recipe that differs a little from `recipe`. */
export function mutate(recipe: Recipe, random: () => number): Recipe {
  const parts = recipe.parts.map((part) => ({ ...part, pieces: [...part.pieces] }));
  const part = pick(parts, random);
  const choice = random();
  if (choice < 0.3) part.pieces[Math.floor(random() * part.pieces.length)] = pick(pieces, random);
  else if (choice < 0.5)
    part.pieces.splice(Math.floor(random() * part.pieces.length), 0, pick(pieces, random));
  else if (choice < 0.6 && part.pieces.length > 1) part.pieces.pop();
  else if (choice < 0.7) part.share = random() + 0.05;
  else if (choice < 0.8) part.once = !part.once;
  else if (choice < 0.9 && parts.length < 4) parts.splice(Math.floor(random() * 2), 0, randomPart(random));
  else if (parts.length > 1) parts.splice(Math.floor(random() * parts.length), 1);
  return { parts };
}

export function cook({ parts }: Recipe, length: number): string {
  const total = parts.reduce((sum, { share, once }) => sum + (once ? 0 : share), 0) || 1;
  const once = parts.reduce((sum, part) => sum + (part.once ? part.pieces.join("").length : 0), 0);
  const text = parts.map((part) => {
    const pattern = part.pieces.join("");
    return part.once ? pattern : fill(pattern, Math.floor(((length - once) * part.share) / total));
  });
  return text.join("").slice(0, length);
}
