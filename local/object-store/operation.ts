import type { Readable } from "node:stream";
import type { RequestBody } from "./body";
import type { S3Request } from "./request";
import type { ObjectStorage } from "./storage";
import { type XmlObject, xmlDocument } from "./xml";

/** What an operation is given: a request whose signature is valid, and a body that has not been read yet. */
export interface Context {
  request: S3Request;
  body: RequestBody;
  storage: ObjectStorage;
  region: string;
}

/** The only account. */
export const OWNER = { ID: "local", DisplayName: "local" };

export type Operation = (context: Context) => Promise<Reply>;

/** Names in lower case. */
export type Headers = Record<string, string>;

/** What an operation returns. The server adds the headers of every response: request id, date, CORS. */
export interface Reply {
  status: number;
  headers?: Headers;
  body?: string | Readable;
}

export function xmlReply(root: string, content: XmlObject | string, headers?: Headers): Reply {
  const body = xmlDocument(root, content);
  return { status: 200, headers: { "content-type": "application/xml", ...headers }, body };
}

/** What an error response says: an `S3Error`, or an injected error. */
interface ErrorContent {
  status: number;
  code: string;
  message: string;
  details?: Record<string, string>;
  headers?: Headers;
}

/** Amazon S3 API Reference, "REST error responses". */
export function errorReply(error: ErrorContent, resource: string, requestId: string): Reply {
  const { status, code, message, details, headers } = error;
  if (status === 304) return { status, headers };
  const content = { Code: code, Message: message, ...details, Resource: resource, RequestId: requestId };
  return {
    status,
    headers: { "content-type": "application/xml", ...headers },
    body: xmlDocument("Error", content, null),
  };
}
