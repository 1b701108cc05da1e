import { serviceRoute } from "../http/service-route.server";
import { copyItems } from "../services/files/changes/copy-items.server";
import { copyEndpoint } from "../services/files/place/contract/changes-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/copy", {
  ...copyEndpoint,
  operationId: "copyItems",
  summary: "Copy files and folders into a folder",
  handle: (body, grant, tools) => copyItems(body, grant, tools, { isMove: false }),
});
