import { visibleEventsSchema } from "../events/visible-events.server";
import { serviceRoute } from "../http/service-route.server";
import { listActivitySchema } from "../services/activity/activity-contract.server";
import { listActivity } from "../services/activity/list-activity.server";
import { activity } from "../services/activity/service.server";

export const { loader, action, contract } = serviceRoute(activity, "/api/embed/activity/list", {
  operationId: "listActivity",
  summary: "List what happened, newest first",
  body: listActivitySchema,
  result: visibleEventsSchema,
  handle: listActivity,
});
