/**
 * Lets Node import JSON without `with { type: "json" }`, as bundlers do: the files of `app/locales` are also read by Remix's compiler, which
 * does not know that syntax.
 */
export async function resolve(specifier, context, nextResolve) {
  const resolved = await nextResolve(specifier, context);
  if (!resolved.url.endsWith(".json")) return resolved;
  return { ...resolved, importAttributes: { type: "json" } };
}
