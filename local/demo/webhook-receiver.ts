import type { IncomingMessage } from "node:http";
// Integrators import this from `platform-embed-element/server`.
import {
  createWebhookHandler,
  type NodeHandler,
  type PlatformEvent,
  toNodeHandler,
} from "../../embed-element/src/server";

/** Where the demo's server takes messages. */
export const RECEIVER_PATH = "/webhook";

/** The most recent messages are kept. */
const MAX_MESSAGES = 200;

interface ReceiverOptions {
  port: number;
  apiBaseUrl: string;
  apiKey: string;
}

/** A message whose signature was verified, in the order of arrival. */
interface ReceivedMessage {
  /** from 1 */
  number: number;
  receivedAt: string;
  event: PlatformEvent;
}

/** Northwind's webhook: it is created when its page is first opened, and its secret stays in this process. */
export class WebhookReceiver {
  readonly #options: ReceiverOptions;
  #handler: NodeHandler<IncomingMessage> | undefined;
  #connecting: Promise<string | undefined> | undefined;
  #messages: ReceivedMessage[] = [];
  #received = 0;
  /** answers 503, so that one can see that nothing is lost */
  isDown = false;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  /** Creates the webhook, once. Returns what went wrong. */
  connect(): Promise<string | undefined> {
    this.#connecting ??= this.#connect().then((failure) => {
      if (failure !== undefined) this.#connecting = undefined;
      return failure;
    });
    return this.#connecting;
  }

  async #connect(): Promise<string | undefined> {
    const url = `http://127.0.0.1:${this.#options.port}${RECEIVER_PATH}`;
    const listed = await this.#call("GET", "");
    if (!listed?.ok) return "The platform does not list the webhooks.";
    const { webhooks } = (await listed.json()) as { webhooks: { id: string; url: string }[] };
    // The secret of an earlier run is gone.
    for (const { id } of webhooks.filter((webhook) => webhook.url === url))
      await this.#call("DELETE", `/${id}`);
    const created = await this.#call("POST", "", { url, types: ["*"] });
    if (!created?.ok) return "The platform does not create a webhook.";
    const { secret } = (await created.json()) as { secret: string };
    this.#handler = toNodeHandler(createWebhookHandler({ secret, onEvent: (event) => this.#keep(event) }));
    return undefined;
  }

  receive: NodeHandler<IncomingMessage> = async (request, response) => {
    if (this.isDown || this.#handler === undefined) {
      response.writeHead(503, {});
      response.end();
      return;
    }
    await this.#handler(request, response);
  };

  /** The messages after the one with this number, oldest first. */
  messagesAfter(number: number): ReceivedMessage[] {
    return this.#messages.filter((message) => message.number > number);
  }

  #keep(event: PlatformEvent): void {
    this.#received += 1;
    this.#messages.push({ number: this.#received, receivedAt: new Date().toISOString(), event });
    this.#messages = this.#messages.slice(-MAX_MESSAGES);
  }

  #call(method: string, path: string, body?: object): Promise<Response | undefined> {
    const { apiBaseUrl, apiKey } = this.#options;
    return fetch(`${apiBaseUrl}/api/webhooks${path}`, {
      method,
      headers: { "X-Api-Key": apiKey, ...(body && { "Content-Type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
  }
}
