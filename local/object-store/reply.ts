import type { Readable } from "node:stream";
import { type XmlObject, xmlDocument } from "./xml";

export type ReplyHeaders = Record<string, string>;

/** The response to a request, before what every response carries (request id, CORS) is added. */
export interface Reply {
  status: number;
  /** names in lower case */
  headers?: ReplyHeaders;
  body?: string | Readable;
}

export function xmlReply(root: string, content: XmlObject | string, headers?: ReplyHeaders): Reply {
  const body = xmlDocument(root, content);
  return { status: 200, headers: { "content-type": "application/xml", ...headers }, body };
}

/** What an error response is made of: an `S3Error`, or an injected fault. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  details?: Record<string, string>;
  headers?: ReplyHeaders;
}

/** Amazon S3 API Reference, "REST error responses". */
export function errorReply(refusal: Refusal, resource: string, requestId: string): Reply {
  const { status, code, message, details, headers } = refusal;
  if (status === 304) return { status, headers };
  const content = { Code: code, Message: message, ...details, Resource: resource, RequestId: requestId };
  return {
    status,
    headers: { "content-type": "application/xml", ...headers },
    body: xmlDocument("Error", content, null),
  };
}
