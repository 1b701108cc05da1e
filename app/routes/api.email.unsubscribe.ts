import { z } from "zod";
import {
  isUnsubscribed,
  openSubscription,
  type Subscription,
  subscribeAgain,
  unsubscribe,
} from "../email/unsubscribing/subscription.server";
import { UNSUBSCRIBE_PATH } from "../email/unsubscribing/unsubscribe-link.server";
import {
  SUBSCRIBE_AGAIN,
  UNSUBSCRIBE,
  type UnsubscribeState,
  unsubscribePage,
} from "../email/unsubscribing/unsubscribe-page.server";
import type { Env } from "../env/env.server";
import { apiRoute, htmlResponse } from "../http/api-route.server";
import { endpoint } from "../http/endpoint.server";
import { notFound } from "../http/failure.server";
import { readBody } from "../http/request-body.server";
import { invalidRequest } from "../shared/app-error";

/** `event` is the id of the e-mail's `email.sent`. A link that has lost it still unsubscribes. */
const query = z.object({ token: z.string(), event: z.uuid().optional().catch(undefined) });
/** A form with one field. */
const MAX_FORM_BYTES = 4 * 1024;

/**
 * `GET` and `POST /api/email/unsubscribe?token=…`: the page that an unsubscribe link opens. Only POST changes anything, because mail
 * scanners follow links. Mail providers send the POST themselves (RFC 8058) and accept no redirect.
 */
export const { loader, action, contract } = apiRoute(
  "platform",
  UNSUBSCRIBE_PATH,
  {
    GET: endpoint({
      operationId: "showUnsubscribePage",
      summary: "The page to unsubscribe on",
      query,
      handle: async ({ query: { token }, request, app: { env, database } }) => {
        const subscription = subscriptionOf(token, env);
        return show((await isUnsubscribed(database, subscription)) ? "done" : "ask", request, subscription);
      },
    }),
    POST: endpoint({
      operationId: "changeSubscription",
      summary: "Unsubscribe, or subscribe again",
      query,
      handle: async ({ query: { token, event }, request, app: { env, database, events }, context }) => {
        const subscription = subscriptionOf(token, env);
        const form = await readForm(request);
        if (form.get(UNSUBSCRIBE.name) === UNSUBSCRIBE.value) {
          await unsubscribe(subscription, event, { database, events, context });
          return show("done", request, subscription);
        }
        if (form.get(SUBSCRIBE_AGAIN.name) !== SUBSCRIBE_AGAIN.value) throw invalidForm();
        await subscribeAgain(database, subscription);
        return show("again", request, subscription);
      },
    }),
  },
  // After a 429 or a 5xx the link may still be valid.
  ({ status }, request) => unsubscribePage(status === 429 || status >= 500 ? "busy" : "wrong", request),
);

/** @throws AppError `not_found` for an invalid token, and if this deployment has no UNSUBSCRIBE_SECRET */
function subscriptionOf(token: string, { unsubscribing }: Env): Subscription {
  const subscription = openSubscription(token, unsubscribing.hosted?.secrets ?? []);
  if (subscription === null) throw notFound();
  return subscription;
}

function show(state: UnsubscribeState, request: Request, subscription: Subscription): Response {
  return htmlResponse(200, unsubscribePage(state, request, subscription));
}

/** Reads a form, URL-encoded or multipart: mail providers may send either. */
async function readForm(request: Request): Promise<FormData> {
  const bytes = await readBody(request, MAX_FORM_BYTES);
  const headers = { "Content-Type": request.headers.get("Content-Type") ?? "" };
  return new Response(Buffer.from(bytes), { headers }).formData().catch(() => {
    throw invalidForm();
  });
}

function invalidForm() {
  const message = `must be a form with ${UNSUBSCRIBE.name}=${UNSUBSCRIBE.value}`;
  return invalidRequest([{ path: "", message }]);
}
