import { serviceRoute } from "../http/service-route.server";
import {
  changeTimesRequestSchema,
  changeTimesSchema,
} from "../services/files/history/history-contract.server";
import { listChangeTimes } from "../services/files/history/list-change-times.server";
import { files } from "../services/files/service.server";
import { storeErrors } from "../services/files/storage-contract.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/change-times", {
  operationId: "listChangeTimes",
  summary: "List when something changed below a folder",
  body: changeTimesRequestSchema,
  result: changeTimesSchema,
  isHeavy: () => true,
  errors: storeErrors,
  handle: listChangeTimes,
});
