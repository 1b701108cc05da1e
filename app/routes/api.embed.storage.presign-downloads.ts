import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { presignDownloads } from "../services/files/presign.server";
import { files } from "../services/files/service.server";
import { presignDownloadsSchema, presignedDownloadsSchema } from "../services/files/storage-contract.server";

/** `POST /api/embed/storage/presign-downloads`: URLs that up to a hundred files can be read from. */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/presign-downloads", {
  POST: endpoint({
    summary: "Presign several downloads",
    auth: embedToken(files),
    body: presignDownloadsSchema,
    // A hundred keys of 1024 bytes.
    maxBodyBytes: 256 * 1024,
    responses: { 200: presignedDownloadsSchema },
    handle: ({ body, caller, tools }) => presignDownloads(body, caller, tools),
  }),
});
