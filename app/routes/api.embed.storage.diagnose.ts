import { apiRoute, endpoint } from "../http/api-route.server";
import { tokenSettings } from "../http/token-settings.server";
import { diagnoseStorage } from "../services/files/diagnose-storage.server";
import { diagnoseSchema } from "../services/files/storage-requests.server";

/** `POST /api/embed/storage/diagnose`: why a browser could not reach the store. */
export const { loader, action } = apiRoute("platform", {
  POST: endpoint({
    body: diagnoseSchema,
    handle: ({ body, services }) =>
      diagnoseStorage(body, services.objectStore, tokenSettings(services), services.env),
  }),
});
