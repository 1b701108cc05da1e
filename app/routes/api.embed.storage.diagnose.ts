import { diagnoseStorage } from "../files/diagnose-storage.server";
import { diagnoseSchema } from "../files/storage-requests.server";
import { apiRoute, endpoint } from "../http/api-route.server";
import { tokenSettings } from "../http/token-settings.server";

/** `POST /api/embed/storage/diagnose`: why a browser could not reach the store. */
export const { loader, action } = apiRoute("platform", {
  POST: endpoint({
    body: diagnoseSchema,
    handle: ({ body, services }) =>
      diagnoseStorage(body, services.objectStore, tokenSettings(services), services.env),
  }),
});
