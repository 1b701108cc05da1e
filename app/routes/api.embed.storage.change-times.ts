import { serviceRoute } from "../http/service-route.server";
import { listChangeTimes } from "../services/files/history/list-change-times.server";
import {
  changeTimesRequestSchema,
  changeTimesSchema,
} from "../services/files/place/contract/history-contract.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/change-times", {
  operationId: "listChangeTimes",
  summary: "List when something changed below a folder",
  body: changeTimesRequestSchema,
  result: changeTimesSchema,
  isHeavy: () => true,
  errors: storeErrors,
  handle: listChangeTimes,
});
