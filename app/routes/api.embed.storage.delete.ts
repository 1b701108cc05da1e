import { serviceRoute } from "../http/service-route.server";
import { deleteItems } from "../services/files/changes/delete-items.server";
import {
  changeEndpoint,
  deletedSchema,
  deleteSchema,
  eventsOfChange,
} from "../services/files/place/contract/changes-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/delete", {
  ...changeEndpoint,
  operationId: "deleteItems",
  summary: "Delete files and folders",
  body: deleteSchema,
  result: deletedSchema,
  events: eventsOfChange,
  recorded: ({ done }) => done,
  handle: deleteItems,
});
