import { apiRoute, endpoint } from "../http/api-route.server";
import { tokenSettings } from "../http/token-settings.server";
import { presignUpload } from "../services/files/presign.server";
import { presignUploadSchema } from "../services/files/storage-requests.server";

/** `POST /api/embed/storage/presign-upload`: a URL that one file can be PUT to. */
export const { loader, action } = apiRoute("platform", {
  POST: endpoint({
    body: presignUploadSchema,
    handle: ({ body, services }) => presignUpload(body, services.objectStore, tokenSettings(services)),
  }),
});
