import type {
  Copied,
  CopyRequest,
  Deleted,
  DeleteRequest,
  Restored,
  RestoreRequest,
} from "./changes/changes-contract.server";

/** `Flag` is false where it is left out. */
type Sent<Request, Flag extends string = never> = Omit<Request, "token" | "bucket" | Flag> & {
  [Name in Flag]?: boolean;
};

/** What the endpoints of changes take beside token and bucket, and return. docs/contract.md#changes */
export interface ChangeCalls {
  copy: { request: Sent<CopyRequest, "stop">; result: Copied };
  move: { request: Sent<CopyRequest, "stop">; result: Copied };
  delete: { request: Sent<DeleteRequest, "check">; result: Deleted };
  restore: { request: Sent<RestoreRequest>; result: Restored };
}
