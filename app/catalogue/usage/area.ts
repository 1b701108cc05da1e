/** Folders of buckets that are counted together. */
export interface Area {
  buckets: readonly string[];
  /** what the keys begin with: empty for the whole bucket, otherwise with a slash at the end */
  prefixes: readonly string[];
}

/** An area in which nothing is named twice, so that nothing is counted twice. The same folders always give the same area. */
export function normalizeArea({ buckets, prefixes }: Area): Area {
  const outermost = prefixes.filter(
    (prefix) => !prefixes.some((other) => other !== prefix && prefix.startsWith(other)),
  );
  return { buckets: [...new Set(buckets)].sort(), prefixes: [...new Set(outermost)].sort() };
}

/** Whether all of `area` is in `other`. */
export const isAreaWithin = (area: Area, other: Area): boolean =>
  area.buckets.every((bucket) => other.buckets.includes(bucket)) &&
  area.prefixes.every((prefix) => other.prefixes.some((wider) => prefix.startsWith(wider)));
