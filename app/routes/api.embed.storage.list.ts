import { explainFailure } from "../files/explain-failure.server";
import { listFolder } from "../files/list-folder.server";
import { listSchema } from "../files/storage-requests.server";
import { apiRoute, endpoint } from "../http/api-route.server";
import { tokenSettings } from "../http/token-settings.server";

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
