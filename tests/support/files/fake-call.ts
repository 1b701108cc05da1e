import type { Call, OperationName, RequestOf, ResultOf } from "platform-embed-element/client";

export type FakeOperations = {
  [Name in OperationName]?: (request: RequestOf<Name>) => Promise<ResultOf<Name>>;
};

/** A `call` whose results a test gives, by the name of the endpoint. It rejects for the others. */
export function fakeCall(operations: FakeOperations): Call {
  return async (endpoint, request) => {
    const operation = operations[endpoint];
    if (operation === undefined) throw new Error(`${endpoint} was called.`);
    return operation(request);
  };
}
