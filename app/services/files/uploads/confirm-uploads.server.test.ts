import { expect, it, vi } from "vitest";
import { testGrant } from "../../../../tests/support/files/grant";
import { testEvents } from "../../../../tests/support/files/test-events";
import type { ServiceTools } from "../../../embed/service";
import { newEventId } from "../../../events/events.server";
import type { ObjectStore } from "../../../providers/object-store.server";
import { confirmUploads } from "./confirm-uploads.server";

it.each([
  // Such a request is light, so thousands are allowed in a minute.
  { files: 10, questions: 10 },
  { files: 11, questions: 200 },
])(
  "confirming $files files asks the store about $questions versions at most",
  async ({ files, questions }) => {
    const pending = newEventId();
    const describeObject = vi.fn<ObjectStore["describeObject"]>().mockResolvedValue(null);
    const tools = {
      objectStore: {
        describeObject,
        listVersions: async ({ prefix }: { prefix: string }) => ({
          versions: Array.from({ length: 300 }, (_, index) => ({
            key: prefix,
            versionId: `v${index}`,
            isMarker: false,
            lastModified: new Date(),
          })),
          prefixes: [],
          next: null,
        }),
      },
      database: { $driverQuery: async () => [{ id: pending, isPending: true, isOwn: true }] },
      events: testEvents(),
      context: {},
    } as unknown as ServiceTools;
    const keys = Array.from({ length: files }, (_, index) => `a/${index}.txt`);
    await confirmUploads({ token: "t", bucket: "docs", keys }, testGrant(), tools);
    const ofVersions = describeObject.mock.calls.filter(([{ versionId }]) => versionId !== undefined);
    expect(ofVersions).toHaveLength(questions);
  },
);
