import { visibleEventsSchema } from "../events/visible-events.server";
import { serviceRoute } from "../http/service-route.server";
import { listFileActivity } from "../services/files/details/list-file-activity.server";
import { listFileActivitySchema } from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/activity", {
  operationId: "listFileActivity",
  summary: "List what happened to a file, or in a folder, newest first",
  body: listFileActivitySchema,
  result: visibleEventsSchema,
  handle: listFileActivity,
});
