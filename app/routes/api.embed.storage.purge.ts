import { serviceRoute } from "../http/service-route.server";
import { purgeVersions } from "../services/files/history/purge-versions.server";
import { changeEndpoint, eventsOfChange } from "../services/files/place/contract/changes-contract.server";
import { purgedSchema, purgeSchema } from "../services/files/place/contract/history-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/purge", {
  ...changeEndpoint,
  operationId: "purgeVersions",
  summary: "Permanently delete older versions",
  body: purgeSchema,
  result: purgedSchema,
  events: eventsOfChange,
  recorded: ({ purged }) => purged,
  handle: purgeVersions,
});
