import { serviceRoute } from "../http/service-route.server";
import { takeBackUpload } from "../services/files/hand-in/take-back.server";
import { takeBackSchema, takenBackSchema } from "../services/files/place/contract/hand-in-contract.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/take-back", {
  operationId: "takeBackUpload",
  summary: "Delete a file that the same visit has handed in",
  body: takeBackSchema,
  result: takenBackSchema,
  // It may wait for another change of the file, and asks the database all that time.
  isHeavy: () => true,
  errors: ["upload_conflict", "upload_not_found", ...storeErrors],
  events: () => 1,
  handle: takeBackUpload,
});
