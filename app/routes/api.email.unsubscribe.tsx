import { z } from "zod";
import { invalidRequest } from "../app-error";
import {
  isUnsubscribed,
  subscribeAgain,
  unsubscribe,
} from "../campaigns/unsubscribe/change-subscription.server";
import { openSubscription, type Subscription } from "../campaigns/unsubscribe/subscription.server";
import { UNSUBSCRIBE_PATH } from "../campaigns/unsubscribe-link.server";
import type { Env } from "../env.server";
import { apiRoute, htmlResponse } from "../http/api-route.server";
import { endpoint } from "../http/endpoint.server";
import { notFound } from "../http/not-found.server";
import { readBody } from "../http/read-json.server";
import {
  SUBSCRIBE_AGAIN,
  UNSUBSCRIBE,
  type UnsubscribeState,
  unsubscribePage,
} from "../http/unsubscribe-page.server";

const query = z.object({ token: z.string() });
/** bytes; a form of one field */
const MAX_FORM_BYTES = 4 * 1024;

/**
 * `GET` and `POST /api/email/unsubscribe?token=…`: the page of a link in a campaign e-mail. Only a POST changes anything: what looks through mail
 * follows links, and presses no buttons. Mail providers post by themselves (RFC 8058), and want no redirect.
 */
export const { loader, action, contract } = apiRoute(
  "platform",
  UNSUBSCRIBE_PATH,
  {
    GET: endpoint({
      summary: "The page to unsubscribe on",
      query,
      handle: async ({ query: { token }, request, app: { env, database } }) => {
        const subscription = subscriptionOf(token, env);
        return show((await isUnsubscribed(database, subscription)) ? "done" : "ask", request, subscription);
      },
    }),
    POST: endpoint({
      summary: "Unsubscribe, or take it back",
      query,
      handle: async ({ query: { token }, request, app: { env, database } }) => {
        const subscription = subscriptionOf(token, env);
        const form = await readForm(request);
        if (form.get(UNSUBSCRIBE.name) === UNSUBSCRIBE.value) {
          await unsubscribe(database, subscription);
          return show("done", request, subscription);
        }
        if (form.get(SUBSCRIBE_AGAIN.name) !== SUBSCRIBE_AGAIN.value) throw wrongForm();
        await subscribeAgain(database, subscription);
        return show("again", request, subscription);
      },
    }),
  },
  // What we cannot answer now may be right; anything else is a link that is none of ours.
  ({ status }, request) => unsubscribePage(status === 429 || status >= 500 ? "busy" : "wrong", request),
);

/** Whose link it is. Where none are made, there is nothing here. */
function subscriptionOf(token: string, { hostedUnsubscribe }: Env): Subscription {
  const subscription = openSubscription(token, hostedUnsubscribe?.secrets ?? []);
  if (subscription === null) throw notFound();
  return subscription;
}

function show(state: UnsubscribeState, request: Request, subscription: Subscription): Response {
  return htmlResponse(200, unsubscribePage(state, request, subscription));
}

/** Mail providers may send it in either form that HTML has for one. */
async function readForm(request: Request): Promise<FormData> {
  const bytes = await readBody(request, MAX_FORM_BYTES);
  const headers = { "Content-Type": request.headers.get("Content-Type") ?? "" };
  return new Response(bytes as BodyInit, { headers }).formData().catch(() => {
    throw wrongForm();
  });
}

function wrongForm() {
  const message = `must be a form with ${UNSUBSCRIBE.name}=${UNSUBSCRIBE.value}`;
  return invalidRequest([{ path: "", message }]);
}
