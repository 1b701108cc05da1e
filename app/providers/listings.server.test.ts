import { expect, it, vi } from "vitest";
import { createListings } from "./listings.server";

const send = vi.fn();
const listings = createListings(send);

it("a page on which a store found nothing yet is not the end of a folder", async () => {
  send.mockResolvedValueOnce({ IsTruncated: true, NextContinuationToken: "on" });
  send.mockResolvedValueOnce({
    IsTruncated: true,
    NextContinuationToken: "further",
    Contents: [{ Key: "docs/a", Size: 1, ETag: '"e"', LastModified: new Date(5_900) }],
  });
  const page = await listings.listBelow({ bucket: "b", prefix: "docs/", after: "docs/0" });
  expect(page).toEqual({
    entries: [{ key: "docs/a", size: 1, etag: '"e"', modified: 5, lastModified: new Date(5_900) }],
    next: "docs/a",
  });
  expect(send.mock.calls.map(([{ input }]) => input)).toEqual([
    { Bucket: "b", Prefix: "docs/", StartAfter: "docs/0", MaxKeys: 1000, ContinuationToken: undefined },
    { Bucket: "b", Prefix: "docs/", StartAfter: "docs/0", MaxKeys: 1000, ContinuationToken: "on" },
  ]);
});
