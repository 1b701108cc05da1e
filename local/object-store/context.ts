import type { RequestBody } from "./body";
import type { Reply } from "./reply";
import type { S3Request } from "./request";
import type { ObjectStorage } from "./storage";

/** What an operation is given: a request whose signature holds, and a body still to be read. */
export interface Context {
  request: S3Request;
  body: RequestBody;
  storage: ObjectStorage;
  region: string;
}

export type Operation = (context: Context) => Promise<Reply>;
