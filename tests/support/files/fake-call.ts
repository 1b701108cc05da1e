import type {
  StorageClient,
  StorageOperations,
} from "../../../app/services/files/place/contract/storage-client";

export type FakeOperations = {
  [Name in keyof StorageOperations]?: (
    request: StorageOperations[Name]["request"],
  ) => Promise<StorageOperations[Name]["result"]>;
};

/** A `call` whose results a test gives, by the name of the endpoint. It rejects for the others. */
export function fakeCall(operations: FakeOperations): StorageClient["call"] {
  return async (endpoint, request) => {
    const operation = operations[endpoint];
    if (operation === undefined) throw new Error(`${endpoint} was called.`);
    return operation(request);
  };
}
