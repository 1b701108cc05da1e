import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { presignUpload } from "../services/files/presign.server";
import { files } from "../services/files/service.server";
import { presignedUploadSchema, presignUploadSchema } from "../services/files/storage-contract.server";

/** `POST /api/embed/storage/presign-upload`: a URL that one file can be PUT to. */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/presign-upload", {
  POST: endpoint({
    summary: "Presign one upload",
    auth: embedToken(files),
    body: presignUploadSchema,
    responses: { 200: presignedUploadSchema },
    errors: ["too_large", "type_not_allowed"],
    handle: ({ body, caller, tools }) => presignUpload(body, caller, tools),
  }),
});
