import { serviceRoute } from "../http/service-route.server";
import { listPeopleSchema, peopleSchema } from "../services/activity/activity-contract.server";
import { listPeople } from "../services/activity/list-activity.server";
import { activity } from "../services/activity/service.server";

export const { loader, action, contract } = serviceRoute(activity, "/api/embed/activity/people", {
  operationId: "listActivePeople",
  summary: "List the visitors of recent events",
  body: listPeopleSchema,
  result: peopleSchema,
  handle: listPeople,
});
