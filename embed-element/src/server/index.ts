/**
 * For an integrator's backend: the token endpoint of `<platform-embed>`, the API calls behind it and behind a logout, and a receiver of webhooks. Uses Web standards and no
 * dependencies: runs on Node 18 and newer, Deno, Bun and workers.
 */
export {
  createEmbedHandler,
  type EmbedHandler,
  type EmbedHandlerOptions,
} from "./embed-handler.js";
export { EmbedUrlError, type EmbedUrlErrorCode, type PlatformIssue } from "./embed-url-error.js";
export {
  type ActivityScope,
  type EmbedScope,
  type EmbedVisitor,
  type IssuedEmbedUrl,
  type IssueEmbedUrlOptions,
  issueEmbedUrl,
  type ScopeOf,
} from "./issue-embed-url.js";
export { type NodeHandler, type NodeRequest, type NodeResponse, toNodeHandler } from "./node-handler.js";
export type { PlatformAccess } from "./request-platform.js";
export { type RevokeEmbedTokensOptions, revokeEmbedTokens } from "./revoke-embed-tokens.js";
export {
  createWebhookHandler,
  type DatabaseEvent,
  type EmailEvent,
  type FileEvent,
  type PlatformEvent,
  type TestEvent,
  type WebhookHandlerOptions,
} from "./webhook-handler.js";
