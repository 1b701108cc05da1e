/** HTML with named slots. It is plain data, so that it can be sent to a worker. */
export interface Template<Slot extends string = never> {
  slots: Slot[];
  /** the text before, between and after the slots */
  texts: string[];
}

/** `html` with its slots, each written `{{name}}`. */
export function parseTemplate<Slot extends string = never>(html: string): Template<Slot> {
  const pieces = html.split(/{{(\w+)}}/);
  return {
    slots: pieces.filter((_, index) => index % 2 === 1) as Slot[],
    texts: pieces.filter((_, index) => index % 2 === 0),
  };
}

/** Fills the slots. The values are HTML: escape what is not. */
export function fill<Slot extends string>(
  { slots, texts }: Template<Slot>,
  values: Record<Slot, string>,
): string {
  let html = texts[0] ?? "";
  for (const [index, slot] of slots.entries()) html += values[slot] + texts[index + 1];
  return html;
}
