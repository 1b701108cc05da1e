import { z } from "zod";
import { apiRoute } from "../http/api-route.server";
import { endpoint } from "../http/endpoint.server";
import { describeApi } from "../http/openapi.server";
import { contract as databases } from "./api.cluster.databases";
import { contract as oneDatabase } from "./api.cluster.databases.$resourceId";
import { contract as emailEvents } from "./api.email.events";
import { contract as copyItems } from "./api.embed.storage.copy";
import { contract as createFolder } from "./api.embed.storage.create-folder";
import { contract as deleteItems } from "./api.embed.storage.delete";
import { contract as diagnose } from "./api.embed.storage.diagnose";
import { contract as list } from "./api.embed.storage.list";
import { contract as moveItems } from "./api.embed.storage.move";
import { contract as abortUpload } from "./api.embed.storage.multipart.abort";
import { contract as completeUpload } from "./api.embed.storage.multipart.complete";
import { contract as createUpload } from "./api.embed.storage.multipart.create";
import { contract as listParts } from "./api.embed.storage.multipart.list";
import { contract as signParts } from "./api.embed.storage.multipart.sign";
import { contract as presignDownload } from "./api.embed.storage.presign-download";
import { contract as presignDownloads } from "./api.embed.storage.presign-downloads";
import { contract as presignUpload } from "./api.embed.storage.presign-upload";
import { contract as restoreItems } from "./api.embed.storage.restore";
import { contract as search } from "./api.embed.storage.search";
import { contract as issueUrl } from "./api.embed.url";
import { contract as previewEmail } from "./api.preview-simple-email";
import { contract as queuedEmail } from "./api.queue.send-email";
import { contract as simpleEmail } from "./api.send-simple-email";

/** In the order of the description. */
export const contracts = [
  issueUrl,
  simpleEmail,
  previewEmail,
  databases,
  oneDatabase,
  queuedEmail,
  emailEvents,
  list,
  presignUpload,
  presignDownload,
  presignDownloads,
  createUpload,
  signParts,
  listParts,
  completeUpload,
  abortUpload,
  createFolder,
  copyItems,
  moveItems,
  deleteItems,
  restoreItems,
  search,
  diagnose,
];

/** `GET /openapi.json`: what can be asked of this deployment. */
export const { loader, action, contract } = apiRoute("api", "/openapi.json", {
  GET: endpoint({
    summary: "This description",
    responses: { 200: z.looseObject({ openapi: z.string() }) },
    handle: ({ app }) => describeApi(contracts, app),
  }),
});
