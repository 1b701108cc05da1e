import { apiRoute, endpoint } from "../http/api-route.server";
import { tokenSettings } from "../http/token-settings.server";
import { explainFailure } from "../services/files/explain-failure.server";
import { listFolder } from "../services/files/list-folder.server";
import { listSchema } from "../services/files/storage-requests.server";

/** `POST /api/embed/storage/list`: one page of a folder. */
export const { loader, action } = apiRoute("platform", {
  POST: endpoint({
    body: listSchema,
    handle: ({ body, services }) =>
      explainFailure(
        listFolder(body, services.objectStore, tokenSettings(services)),
        services.env.production,
      ),
  }),
});
