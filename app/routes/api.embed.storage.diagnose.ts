import { serviceRoute } from "../http/service-route.server";
import { diagnoseStorage } from "../services/files/diagnose-storage.server";
import {
  diagnoseSchema,
  storageDiagnosisSchema,
} from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/diagnose", {
  operationId: "diagnoseStorage",
  summary: "Find out why a browser could not reach the object store",
  body: diagnoseSchema,
  result: storageDiagnosisSchema,
  handle: diagnoseStorage,
});
