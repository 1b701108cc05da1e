/**
 * The token endpoint of `<platform-embed>` for an integrator's backend, and the API call behind it. Uses Web standards and no
 * dependencies: runs on Node 18 and newer, Deno, Bun and workers.
 */
export {
  createEmbedHandler,
  type EmbedHandler,
  type EmbedHandlerOptions,
} from "./embed-handler.js";
export { EmbedUrlError, type EmbedUrlErrorCode, type PlatformIssue } from "./embed-url-error.js";
export {
  type EmbedScope,
  type IssuedEmbedUrl,
  type IssueEmbedUrlOptions,
  issueEmbedUrl,
  type PlatformAccess,
} from "./issue-embed-url.js";
export { type NodeHandler, type NodeRequest, type NodeResponse, toNodeHandler } from "./node-handler.js";
