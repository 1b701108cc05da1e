import { MAX_READ_CHANGES } from "../catalogue/change-log.sql.server";
import { tokenExpired } from "../embed/embed-token.server";
import { apiRoute } from "../http/api-route.server";
import { bearerTokenOf, embedTokenInHeader, identityOfGrant } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { eventStream, eventsResponse } from "../http/event-stream.server";
import { furtherRequestsOf } from "../http/rate-limits.server";
import { followFolder } from "../services/files/browse/follow-folder.server";
import { followSchema } from "../services/files/place/contract/follow-contract.server";
import { DEFAULT_PAGE_SIZE } from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/changes", {
  GET: endpoint({
    operationId: "followFolder",
    summary: "Tell what changes directly in a folder, as a stream of server-sent events",
    auth: embedTokenInHeader(files),
    query: followSchema,
    mediaTypes: ["text/event-stream"],
    async handle({ app, request, caller: grant, query, context, countFurther }) {
      files.assertOperationInScope?.("followFolder", grant.scope);
      // It reads so many changes at most, whatever the caller is told of them.
      await countFurther(furtherRequestsOf(MAX_READ_CHANGES, DEFAULT_PAGE_SIZE));
      const isHead = request.method === "HEAD";
      const followed = await followFolder(isHead ? { ...query, once: "true" } : query, grant, app);
      if ("messages" in followed) return eventsResponse(followed.messages);
      const check = async () => {
        if (app.now() >= grant.expiresAt) throw tokenExpired();
        await app.revokedTokens.check(grant);
      };
      return new Promise((resolve, reject) => {
        // It counts as running until the stream ends.
        const run = () =>
          new Promise<void>((onEnd) => {
            eventStream({ ...followed, check, onEnd }, context).then(resolve, reject);
          });
        const caller = identityOfGrant(grant, bearerTokenOf(request));
        app.changeStreams.run(grant.companyId, caller, run).catch(reject);
      });
    },
  }),
});
