import { serviceRoute } from "../http/service-route.server";
import { undoChange } from "../services/files/changes/undo.server";
import { restoreVersions } from "../services/files/history/restore-versions.server";
import {
  changeEndpoint,
  chooseRestoreSchema,
  eventsOfChange,
  restoredSchema,
  undoSchema,
} from "../services/files/place/contract/changes-contract.server";
import { restoreVersionsSchema } from "../services/files/place/contract/history-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/restore", {
  ...changeEndpoint,
  operationId: "restoreItems",
  summary: "Undo a change, or make older versions the newest again",
  body: { options: () => [undoSchema, restoreVersionsSchema], choose: chooseRestoreSchema },
  result: restoredSchema,
  events: (body) => ("undo" in body ? 1 : eventsOfChange(body)),
  recorded: ({ restored, unchanged = 0 }) => restored - unchanged,
  handle: (body, grant, tools) =>
    "undo" in body ? undoChange(body, grant, tools) : restoreVersions(body, grant, tools),
});
