import { visitorCsv } from "../events/event-formats.server";
import { apiRoute } from "../http/api-route.server";
import { embedToken, identityOfGrant } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { FURTHER_REQUESTS_OF_STREAM, streamText } from "../http/stream-text.server";
import { exportActivitySchema } from "../services/activity/activity-contract.server";
import { exportActivity } from "../services/activity/list-activity.server";
import { activity } from "../services/activity/service.server";

const { mediaType } = visitorCsv;

/** `POST /api/embed/activity/export`: all events that match, as a CSV file. */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/activity/export", {
  POST: endpoint({
    operationId: "exportActivity",
    summary: "Download what happened as a CSV file",
    auth: embedToken(activity),
    body: exportActivitySchema,
    mediaTypes: [mediaType],
    async handle({ body, caller, app, tools, context, countFurther }) {
      await countFurther(FURTHER_REQUESTS_OF_STREAM);
      const identity = identityOfGrant(caller, body.token);
      const check = () => app.revokedTokens.check(caller);
      return streamText(exportActivity(body, caller, tools), { identity, check }, context, {
        "Content-Type": `${mediaType}; charset=utf-8`,
      });
    },
  }),
});
