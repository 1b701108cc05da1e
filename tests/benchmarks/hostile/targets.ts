/** Every field of every address, with the work that it costs. In one file, because it is one list. */
import type { z } from "zod";
import { renderCampaignEmail } from "../../../app/campaigns/campaign-email.server";
import { campaignJobSchema } from "../../../app/campaigns/campaign-job.server";
import { verifyQueueSignature } from "../../../app/campaigns/queue-signature.server";
import { createClusterDatabaseSchema } from "../../../app/databases/create-cluster-database.server";
import {
  findClusterDatabase,
  listClusterDatabasesSchema,
} from "../../../app/databases/find-cluster-databases.server";
import { findCluster } from "../../../app/databases/region";
import { formatMailbox } from "../../../app/email/email-address.server";
import { renderSimpleEmail, simpleEmailSchema } from "../../../app/email/simple-email.server";
import { signEmbedToken } from "../../../app/embed/embed-token.server";
import { findEmbedClient } from "../../../app/embed/find-embed-client.server";
import { readGrant } from "../../../app/embed/grant.server";
import { chooseIssueBody, issueEmbedUrl } from "../../../app/embed/issue-embed-url.server";
import { openEmbed } from "../../../app/embed/open-embed.server";
import { parentOriginOf } from "../../../app/embed/origin";
import { requireBearerToken } from "../../../app/http/bearer-auth.server";
import { parseInput } from "../../../app/http/read-json.server";
import { chooseRequestId } from "../../../app/http/request-id.server";
import { parseJson } from "../../../app/parse-json";
import type { Database } from "../../../app/providers/database.server";
import { createObjectStore } from "../../../app/providers/object-store.server";
import { LONGEST_CURSOR } from "../../../app/services/files/changes/change-cursor.server";
import {
  copySchema,
  deleteSchema,
  MAX_CHANGE_BODY,
  MAX_RESTORE_BODY,
  MAX_UNDO_LENGTH,
  restoreSchema,
} from "../../../app/services/files/changes/changes-contract.server";
import { copyItems } from "../../../app/services/files/changes/copy-items.server";
import { deleteItems } from "../../../app/services/files/changes/delete-items.server";
import { restoreItems } from "../../../app/services/files/changes/restore-items.server";
import { signUndo } from "../../../app/services/files/changes/undo-handle.server";
import { createFolder } from "../../../app/services/files/create-folder.server";
import { listFolder } from "../../../app/services/files/list-folder.server";
import {
  abortUpload,
  completeUpload,
  createUpload,
  listParts,
  signParts,
} from "../../../app/services/files/multipart.server";
import {
  completeUploadSchema,
  createUploadSchema,
  signPartsSchema,
  uploadSchema,
} from "../../../app/services/files/multipart-contract.server";
import { presignDownload, presignDownloads, presignUpload } from "../../../app/services/files/presign.server";
import type { FilesGrant } from "../../../app/services/files/scope-guards.server";
import { searchSchema } from "../../../app/services/files/search/search-contract.server";
import {
  LONGEST_CURSOR as LONGEST_SEARCH_CURSOR,
  signCursor as signSearchCursor,
} from "../../../app/services/files/search/search-cursor.server";
import { searchFiles } from "../../../app/services/files/search/search-files.server";
import {
  chooseDownloadSchema,
  createFolderSchema,
  listSchema,
  presignDownloadsSchema,
  presignUploadSchema,
} from "../../../app/services/files/storage-contract.server";
import { signUpload } from "../../../app/services/files/upload-handle.server";
import { services } from "../../../app/services/registry.server";

/** One address, as far as it can be asked without a network: schema, then what is done before a provider is called. */
export interface BodyTarget {
  name: string;
  /** the largest body that is read, bytes */
  maxBytes: number;
  /** a body that is accepted, with every member */
  valid: Record<string, unknown>;
  /** where a text can be, and the longest one that is accepted there, characters; and how often in a list */
  texts: { path: string; length: number; times?: number }[];
  run: (bytes: Uint8Array) => unknown;
}

/** A header, a parameter of the query or of the path. */
export interface LineTarget {
  name: string;
  run: (value: string) => unknown;
}

const nowSeconds = 1_800_000_000;
const secret = "a secret for the search for costly inputs";
const scope = {
  bucket: "files",
  path: "/docs",
  uploadFolder: "/docs/in",
  actions: ["download", "upload", "organize", "delete"],
};
const policy = {
  files: {
    buckets: ["files"],
    paths: ["/docs", "/more"],
    uploadFolders: ["/docs/in"],
    actions: scope.actions,
  },
};
const payload = { cid: "c", companyId: "co", svc: "files", scope, origins: ["https://portal.example"] };
const token = signEmbedToken({ ...payload, iat: nowSeconds, exp: nowSeconds + 900 }, secret);
const settings = { signingSecrets: [secret], nowSeconds };
/** Names that ask much of whoever looks for words in them: long, and all of one letter. */
const keyPage = {
  keys: Array.from({ length: 1_000 }, (_, index) => `docs/in/${"a".repeat(250)}${index}`),
  isTruncated: false,
  objectAt: () => ({ size: 1, lastModified: new Date(0), etag: "e" }),
};
const page = async () => ({ prefixes: [], objects: [], nextCursor: null });
const objectStore = {
  ...createObjectStore({
    region: "us-east-1",
    accessKeyId: "id",
    secretAccessKey: "key",
    endpoint: "http://store.example",
    forcePathStyle: true,
    timeoutSeconds: 1,
  }),
  list: page,
  findObject: async () => null,
  contentTypeOf: async () => "text/plain",
  createFolder: async () => undefined,
  listKeys: async () => keyPage,
  keepsVersions: async () => true,
  listBelow: async () => ({ entries: [], next: null }),
  listVersionsBelow: async () => ({ entries: [], next: null }),
  describeObject: async () => null,
  removeObject: async () => ({ marker: "v" }),
  createUpload: async ({ bucket, key }: { bucket: string; key: string }) => ({
    bucket,
    key,
    uploadId: "id",
    checksum: null,
  }),
  listParts: async () => [],
  abortUpload: async () => undefined,
};
const request = { requestId: "r", address: "/", callerAddress: "::1", deadline: Number.POSITIVE_INFINITY };
const tools = {
  objectStore,
  request,
  nowSeconds,
  production: true,
  platformBaseUrl: "https://embed.example.com",
  signingSecrets: [secret],
};
const upload = signUpload(
  {
    companyId: payload.companyId,
    bucket: "files",
    key: "docs/in/a",
    uploadId: "id",
    mark: "mark",
    contentType: "text/plain",
    size: 5 * 1024 ** 4,
    partSize: 583 * 1024 ** 2,
    checksum: "CRC64NVME",
    overwrite: true,
  },
  tools,
);
const searchCursor = signSearchCursor(
  { bucket: "files", prefix: "docs/in/", query: "a" },
  [{ after: "", last: null }],
  tools,
);
/** A file and a folder, which lists of a thousand repeat. */
const changedItems = [{ key: "docs/in/a.txt" }, { folderPath: "/docs/in/b" }];
const changedTexts = [
  { path: "token", length: 32_768 },
  { path: "bucket", length: 255 },
  { path: "items.0.key", length: 1024, times: 999 },
  { path: "items.1.folderPath", length: 1024, times: 999 },
  { path: "cursor", length: LONGEST_CURSOR },
];
/** Of the most that one response deletes. */
const undo =
  signUndo(
    Array.from({ length: 1_000 }, (_, index) => ({ key: `docs/in/${index}`, version: `v${index}` })),
    { bucket: "files", companyId: payload.companyId },
    tools,
  ) ?? "";
/** A database that has no record of anything. */
const database = {
  $driverQuery: async () => [],
  clientResource: { findUnique: async () => null },
} as unknown as Database;

const kB = 1024;
const url = "https://example.com/a";
const TEMPLATE = "{siteUrl}/unsubscribe?token={token}";

/** What an endpoint for files does with a body: judges it, then its token, then does the work. */
function storageRun<Body extends { token: string }>(
  schema: z.ZodType<Body>,
  work: (body: Body, grant: FilesGrant, context: typeof tools) => unknown,
) {
  return (bytes: Uint8Array) => {
    const body = parseInput(schema, parseJson(bytes));
    return work(body, readGrant(body.token, services.files, settings), tools);
  };
}

export const bodyTargets: BodyTarget[] = [
  {
    name: "POST /api/embed/url",
    maxBytes: 64 * kB,
    valid: { service: "files", scope, expiresInSeconds: 60 },
    texts: [
      { path: "service", length: 64 },
      { path: "scope.bucket", length: 255 },
      { path: "scope.path", length: 1024 },
      { path: "scope.uploadFolder", length: 1024 },
    ],
    run: (bytes) => {
      const json = parseJson(bytes);
      const client = {
        id: "c",
        companyId: "co",
        allowedServices: ["files", "notif"],
        allowedOrigins: payload.origins,
        allowedScopes: policy,
      };
      const body = parseInput(chooseIssueBody(json, services), json);
      return issueEmbedUrl(body, client, {
        services,
        signingSecret: secret,
        platformBaseUrl: "https://e.example",
        nowSeconds,
      });
    },
  },
  {
    name: "POST /api/send-simple-email",
    maxBytes: 256 * kB,
    valid: {
      to: ["ada@example.com"],
      title: "Hello",
      description: "Text",
      theme: "blue",
      siteName: "Northwind",
      logoUrl: url,
      pdf: [url],
      button: { label: "Open", url },
      locale: "en",
    },
    texts: [
      { path: "button.label", length: 100 },
      { path: "button.url", length: 2000 },
      { path: "locale", length: 35 },
      { path: "to", length: 320 },
      { path: "to.0", length: 320, times: 50 },
      { path: "title", length: 200 },
      { path: "description", length: 20_000 },
      { path: "theme", length: 10 },
      { path: "siteName", length: 100 },
      { path: "logoUrl", length: 2000 },
      { path: "pdf.0", length: 2000, times: 20 },
    ],
    run: (bytes) => {
      const email = parseInput(simpleEmailSchema, parseJson(bytes));
      return [renderSimpleEmail(email), formatMailbox(email.siteName, "no-reply@example.com")];
    },
  },
  {
    name: "POST /api/queue/send-email",
    maxBytes: 256 * kB,
    valid: {
      recipient: { email: "ada@example.com", name: "Ada", unsubscribeToken: "t" },
      campaignId: "spring",
      site: { subject: "Spring" },
      branding: {
        siteName: "Northwind",
        siteUrl: url,
        logoUrl: url,
        supportEmail: "help@example.com",
        postalAddress: "Road",
      },
      featuredProducts: [{ name: "Pack", url, imageUrl: url, price: "1" }],
      events: [{ title: "Hike", date: "2027-03-06T19:30", timeZone: "UTC" }],
      theme: "blue",
      locale: "en",
      reason: "Because",
    },
    texts: [
      { path: "branding.postalAddress", length: 300 },
      { path: "featuredProducts.0.imageUrl", length: 2000, times: 100 },
      { path: "featuredProducts.0.price", length: 100, times: 100 },
      { path: "events.0.timeZone", length: 64, times: 100 },
      { path: "locale", length: 35 },
      { path: "reason", length: 300 },
      { path: "recipient.email", length: 320 },
      { path: "recipient.name", length: 200 },
      { path: "recipient.unsubscribeToken", length: 500 },
      { path: "campaignId", length: 200 },
      { path: "site.subject", length: 200 },
      { path: "branding.siteName", length: 100 },
      { path: "branding.siteUrl", length: 2000 },
      { path: "branding.logoUrl", length: 2000 },
      { path: "branding.supportEmail", length: 320 },
      { path: "featuredProducts.0.name", length: 300, times: 100 },
      { path: "featuredProducts.0.url", length: 2000, times: 100 },
      { path: "events.0.title", length: 300, times: 100 },
      { path: "events.0.date", length: 100, times: 100 },
    ],
    run: (bytes) => {
      const job = parseInput(campaignJobSchema, parseJson(bytes));
      const { recipient, branding } = job;
      return [
        renderCampaignEmail(job, TEMPLATE),
        formatMailbox(branding.siteName, "no-reply@example.com"),
        formatMailbox(recipient.name, recipient.email),
      ];
    },
  },
  {
    name: "POST /api/cluster/databases",
    maxBytes: 64 * kB,
    valid: { companyId: "c", name: "orders", region: "ca-central-1", maxCapacityAcu: 2 },
    texts: [
      { path: "companyId", length: 200 },
      { path: "name", length: 63 },
      { path: "region", length: 32 },
    ],
    run: (bytes) => {
      const { region } = parseInput(createClusterDatabaseSchema, parseJson(bytes));
      return findCluster({ ofRegion: {}, fallback: undefined, defaultDatabase: "postgres" }, region);
    },
  },
  {
    name: "POST /api/embed/storage/list",
    maxBytes: 64 * kB,
    valid: { token, bucket: "files", folderPath: "/docs", cursor: "c", pageSize: 10 },
    texts: [
      { path: "token", length: 32_768 },
      { path: "bucket", length: 255 },
      { path: "folderPath", length: 1024 },
      { path: "cursor", length: 4096 },
    ],
    run: storageRun(listSchema, listFolder),
  },
  {
    name: "POST /api/embed/storage/presign-upload",
    maxBytes: 64 * kB,
    valid: {
      token,
      bucket: "files",
      folderPath: "/docs/in",
      fileName: "a.txt",
      contentType: "text/plain",
      ifNoneMatch: true,
      size: 1,
      checksum: { algorithm: "CRC32", value: "AAAAAA==" },
    },
    texts: [
      { path: "token", length: 32_768 },
      { path: "bucket", length: 255 },
      { path: "folderPath", length: 1024 },
      { path: "fileName", length: 1000 },
      { path: "contentType", length: 255 },
      { path: "checksum.value", length: 16 },
    ],
    run: storageRun(presignUploadSchema, presignUpload),
  },
  {
    name: "POST /api/embed/storage/presign-downloads",
    maxBytes: 256 * kB,
    valid: { token, bucket: "files", keys: Array(100).fill(`docs/${"a".repeat(1000)}`) },
    texts: [
      { path: "token", length: 32_768 },
      { path: "bucket", length: 255 },
      { path: "keys.0", length: 1024 },
    ],
    run: storageRun(presignDownloadsSchema, presignDownloads),
  },
  {
    name: "POST /api/embed/storage/create-folder",
    maxBytes: 64 * kB,
    valid: { token, bucket: "files", folderPath: "/docs/in", name: "new" },
    texts: [
      { path: "token", length: 32_768 },
      { path: "bucket", length: 255 },
      { path: "folderPath", length: 1024 },
      { path: "name", length: 1000 },
    ],
    run: storageRun(createFolderSchema, createFolder),
  },
  {
    name: "POST /api/embed/storage/search",
    maxBytes: 64 * kB,
    valid: { token, bucket: "files", folderPath: "/docs/in", query: "a", cursor: searchCursor },
    texts: [
      { path: "token", length: 32_768 },
      { path: "bucket", length: 255 },
      { path: "folderPath", length: 1024 },
      { path: "query", length: 255 },
      { path: "cursor", length: LONGEST_SEARCH_CURSOR },
    ],
    run: storageRun(searchSchema, searchFiles),
  },
  {
    name: "POST /api/embed/storage/search, from its start",
    maxBytes: 64 * kB,
    valid: { token, bucket: "files", query: "a" },
    texts: [{ path: "query", length: 255 }],
    run: storageRun(searchSchema, searchFiles),
  },
  ...[
    { what: "copy", isMove: false, onConflict: "keep-both" },
    { what: "move", isMove: true, onConflict: "replace" },
  ].map(({ what, isMove, onConflict }) => ({
    name: `POST /api/embed/storage/${what}`,
    maxBytes: MAX_CHANGE_BODY,
    valid: { token, bucket: "files", items: changedItems, to: "/docs/in", onConflict, stop: false },
    texts: [
      ...changedTexts,
      { path: "to", length: 1024 },
      { path: "name", length: 1000 },
      { path: "onConflict", length: 10 },
    ],
    run: storageRun(copySchema, (body, grant, context) => copyItems(body, grant, context, { isMove })),
  })),
  {
    name: "POST /api/embed/storage/delete",
    maxBytes: MAX_CHANGE_BODY,
    valid: { token, bucket: "files", items: changedItems, check: false },
    texts: changedTexts,
    run: storageRun(deleteSchema, deleteItems),
  },
  {
    name: "POST /api/embed/storage/restore",
    maxBytes: MAX_RESTORE_BODY,
    valid: { token, bucket: "files", undo },
    texts: [
      { path: "token", length: 32_768 },
      { path: "bucket", length: 255 },
      { path: "undo", length: MAX_UNDO_LENGTH },
    ],
    run: storageRun(restoreSchema, restoreItems),
  },
  {
    name: "POST /api/embed/storage/multipart/create",
    maxBytes: 64 * kB,
    valid: {
      token,
      bucket: "files",
      folderPath: "/docs/in",
      fileName: "a",
      contentType: "text/plain",
      size: 1,
      ifNoneMatch: true,
    },
    texts: [
      { path: "token", length: 32_768 },
      { path: "bucket", length: 255 },
      { path: "folderPath", length: 1024 },
      { path: "fileName", length: 1000 },
      { path: "contentType", length: 255 },
    ],
    run: storageRun(createUploadSchema, createUpload),
  },
  {
    name: "POST /api/embed/storage/multipart/sign",
    maxBytes: 64 * kB,
    valid: {
      token,
      upload,
      parts: Array.from({ length: 100 }, () => ({ number: 9_000, checksum: "AAAAAAAAAAA=" })),
    },
    texts: [
      { path: "token", length: 32_768 },
      { path: "upload", length: 8_192 },
      { path: "parts.0.checksum", length: 16, times: 100 },
    ],
    run: storageRun(signPartsSchema, signParts),
  },
  ...[
    { what: "list", valid: { token, upload }, run: storageRun(uploadSchema, listParts) },
    {
      what: "complete",
      valid: { token, upload, checksum: "AAAAAAAAAAA=", overwrite: true },
      run: storageRun(completeUploadSchema, completeUpload),
    },
    { what: "abort", valid: { token, upload }, run: storageRun(uploadSchema, abortUpload) },
  ].map(({ what, ...target }) => ({
    ...target,
    name: `POST /api/embed/storage/multipart/${what}`,
    maxBytes: 64 * kB,
    texts: [
      { path: "token", length: 32_768 },
      { path: "upload", length: 8_192 },
    ],
  })),
  ...[
    { token, bucket: "files", key: "docs/a.txt", disposition: "inline" },
    { token, bucket: "files", folderPath: "/docs", fileName: "a.txt", disposition: "inline" },
  ].map((valid) => ({
    name: `POST /api/embed/storage/presign-download${"key" in valid ? ", by key" : ""}`,
    maxBytes: 64 * kB,
    valid,
    texts: Object.keys(valid).map((path) => ({ path, length: path === "token" ? 32_768 : 1000 })),
    run: (bytes: Uint8Array) => {
      const json = parseJson(bytes);
      const body = parseInput(chooseDownloadSchema(json), json);
      return presignDownload(body, readGrant(body.token, services.files, settings), tools);
    },
  })),
];

const withHeader = (name: string, value: string) =>
  new Request("https://a.example/", { headers: { [name]: value } });
const query = (search: string) =>
  parseInput(
    listClusterDatabasesSchema,
    Object.fromEntries(new URL(`https://a.example/?${search}`).searchParams),
  );

/** Node reads at most 16 kB of headers, request line included. */
export const MAX_LINE_LENGTH = 16 * kB;

export const lineTargets: LineTarget[] = [
  { name: "X-Api-Key", run: (value) => findEmbedClient(database, value) },
  {
    name: "Authorization",
    run: (value) => requireBearerToken(withHeader("Authorization", value), [secret]),
  },
  {
    name: "Queue-Signature",
    run: (value) =>
      verifyQueueSignature(new Headers({ "Queue-Signature": value }), {
        signingKeys: [secret, secret],
        url: "https://a.example/",
        nowSeconds,
      }),
  },
  { name: "X-Request-Id", run: (value) => chooseRequestId({ "x-request-id": value, authorization: value }) },
  { name: "Origin", run: (value) => parentOriginOf(new Headers({ Origin: value })) },
  { name: "Referer", run: (value) => parentOriginOf(new Headers({ Referer: value })) },
  {
    name: "GET /embed/files?t=",
    run: (value) => openEmbed({ service: "files", token: value, headers: new Headers() }, services, settings),
  },
  {
    name: "GET /embed/{service}",
    run: (value) => openEmbed({ service: value, token, headers: new Headers() }, services, settings),
  },
  {
    name: "GET /api/cluster/databases?companyId=",
    run: (value) => query(`${new URLSearchParams({ companyId: value })}`),
  },
  {
    name: "GET /api/cluster/databases?region=",
    run: (value) => query(`${new URLSearchParams({ companyId: "c", region: value })}`),
  },
  { name: "GET /api/cluster/databases, the query", run: (value) => query(value) },
  { name: "GET /api/cluster/databases/{resourceId}", run: (value) => findClusterDatabase(database, value) },
];
