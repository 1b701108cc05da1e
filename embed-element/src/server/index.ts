/**
 * What an integrator's backend needs: the token endpoint of `<platform-embed>`, or the bare call behind it. By Web standards and without a
 * dependency, for Node from 18 on, Deno, Bun and workers.
 */
export {
  createEmbedHandler,
  type EmbedHandler,
  type EmbedHandlerOptions,
} from "./embed-handler";
export { EmbedUrlError, type EmbedUrlErrorCode, type PlatformIssue } from "./embed-url-error";
export {
  type EmbedScope,
  type IssuedEmbedUrl,
  type IssueEmbedUrlOptions,
  issueEmbedUrl,
  type PlatformAccess,
} from "./issue-embed-url";
export { type NodeHandler, type NodeRequest, type NodeResponse, toNodeHandler } from "./node-handler";
