import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root, textOf } from "./files";

/** A page shows each example whole: neither GitHub nor every generator of sites can include a file. */
const folder = "docs/examples/backends";
const pages = readdirSync(join(root, "docs/guide/backends")).map((name) =>
  textOf(`docs/guide/backends/${name}`),
);

it.each(readdirSync(join(root, folder)))("a page of the guide has the backend %s as it is", (name) => {
  const page = pages.find((text) => text.includes(`(../../examples/backends/${name})`)) ?? "";
  expect(/^```\w+\n([\s\S]*?)^```$/m.exec(page)?.[1]).toBe(textOf(`${folder}/${name}`));
});

it("the page of webhooks links to each receiver, and has the check of one as it is", () => {
  const receivers = "docs/examples/webhooks";
  const guide = textOf("docs/guide/webhooks.md");
  for (const name of readdirSync(join(root, receivers)))
    expect(guide).toContain(`(../examples/webhooks/${name})`);
  const check = /^```python\n([\s\S]*?)^```$/m.exec(guide)?.[1] ?? "no check";
  expect(textOf(`${receivers}/webhooks.py`)).toContain(check);
});
