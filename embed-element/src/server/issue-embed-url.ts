import { ConfigurationError } from "./embed-url-error.js";
import { type PlatformAccess, requestPlatform } from "./request-platform.js";

/** What a token for `files` permits. A member that is `undefined` is refused. */
export interface EmbedScope {
  bucket: string;
  /** the folder to browse; default: the key's only path, or the whole bucket */
  path?: string;
  /** the folder for uploads; default: the key's only upload folder, or `path` */
  uploadFolder?: string;
  /** what the visitor reads in place of that folder's name, 1 to 120 characters; default: its name */
  title?: string;
  /** of `download`, `upload`, `organize`, `delete` and `activity`; default: the first two */
  actions?: readonly string[];
  limits?: { maxFileBytes?: number; maxTotalBytes?: number; fileTypes?: readonly string[] };
  /** `hand-in`: a page to hand files in, without seeing any; default: the explorer, unless the key is for such pages only */
  view?: "explorer" | "hand-in";
  /** only files with this tag can be read, copied or moved; default: what the key requires */
  requireTag?: { key: string; value: string };
}

/** What a token for `activity` permits; `{}` for everything of your company. A member that is `undefined` is refused. */
export interface ActivityScope {
  /** only what happened to files in this bucket; default: the key's only bucket, or everything */
  bucket?: string;
  /** only what happened in this folder; needs `bucket` */
  path?: string;
}

/** The scope of a token for `Service`. */
export type ScopeOf<Service extends string> = Service extends "activity" ? ActivityScope : EmbedScope;

/** Who is visiting, for the record of who did what. Revoking a visitor's tokens needs the id. */
export interface EmbedVisitor {
  /** your own id of the person, 1 to 128 characters; prefer one that is not an e-mail address */
  id: string;
  /** 1 to 120 characters */
  name?: string;
}

export interface IssueEmbedUrlOptions<Service extends string = "files"> extends PlatformAccess {
  /** default `files` */
  service?: Service;
  scope: ScopeOf<Service>;
  /** default 900, at most 3600 */
  expiresInSeconds?: number;
  /** the origin of the embedding page. If the API key has many origins, the token then contains only this one and the URL is shorter */
  origin?: string;
  visitor?: EmbedVisitor | undefined;
  signal?: AbortSignal;
}

/** The platform's response, which the token endpoint passes on to `<platform-embed>`. */
export interface IssuedEmbedUrl {
  /** contains the token; for one page view */
  url: string;
  /** unix seconds, by the platform's clock */
  expiresAt: number;
  service: string;
}

/**
 * Requests a signed embed URL: `POST /api/embed/url`.
 * @throws EmbedUrlError when the platform does not issue one; ConfigurationError, a TypeError, when an option is missing or invalid
 */
export async function issueEmbedUrl<Service extends string = "files">({
  service,
  scope,
  expiresInSeconds,
  origin,
  visitor,
  signal,
  ...access
}: IssueEmbedUrlOptions<Service>): Promise<IssuedEmbedUrl> {
  const json = toJson({ service: service ?? "files", scope, expiresInSeconds, origin, visitor });
  assertComplete("scope", scope);
  const { body, invalid } = await requestPlatform("api/embed/url", json, { ...access, signal });
  const issued = body as Partial<IssuedEmbedUrl>;
  if (
    typeof issued.url !== "string" ||
    typeof issued.expiresAt !== "number" ||
    typeof issued.service !== "string"
  )
    throw invalid();
  return { url: issued.url, expiresAt: issued.expiresAt, service: issued.service };
}

/** @throws ConfigurationError for what JSON cannot express */
function toJson(options: object): string {
  try {
    return JSON.stringify(options);
  } catch {
    const says =
      "The scope or the visitor cannot be written as JSON: it contains a BigInt, or refers to itself.";
    throw new ConfigurationError(says);
  }
}

const remedies: Record<string, string> = {
  "scope.bucket": "It is required. Is its environment variable set?",
  "scope.path": "Without it, the visitor would see the key's only path, or the whole bucket.",
  "scope.uploadFolder": "Without it, uploads would go to the key's only upload folder, or anywhere in path.",
  "scope.view": "Without it, the visitor would see the explorer.",
  "scope.limits.maxFileBytes": "Without it, the visitor could upload files of any size that the key allows.",
  "scope.limits.maxTotalBytes": "Without it, the folder could hold as much as the key allows.",
  "scope.requireTag": "Without it, the visitor could read all files that the key allows.",
  "scope.limits.fileTypes": "Without it, the visitor could upload files of any type that the key allows.",
};

/**
 * Refuses members that are `undefined`, also in `limits`. JSON would leave them out, so `path: customer.folder` without a folder would
 * open the whole bucket.
 * @param value has been written as JSON, so it does not refer to itself
 */
function assertComplete(path: string, value: unknown): void {
  if (value === undefined) {
    const remedy = remedies[path] ?? "Leave it out if that is intended.";
    throw new ConfigurationError(`${path} is undefined. ${remedy}`);
  }
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) assertComplete(`${path}.${name}`, member);
}
