import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { diagnoseStorage } from "../services/files/diagnose-storage.server";
import { files } from "../services/files/service.server";
import { diagnoseSchema, storageDiagnosisSchema } from "../services/files/storage-contract.server";

/** `POST /api/embed/storage/diagnose`: why a browser could not reach the store. */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/diagnose", {
  POST: endpoint({
    summary: "Find out why a browser could not reach the object store",
    auth: embedToken(files),
    body: diagnoseSchema,
    responses: { 200: storageDiagnosisSchema },
    handle: ({ body, caller, tools }) => diagnoseStorage(body, caller, tools),
  }),
});
