/** An integrator's receiver of webhooks on this machine, and what it has got. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

export interface ReceivedWebhook {
  path: string | undefined;
  headers: Record<string, string>;
  body: string;
}

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

export class WebhookReceiver {
  readonly got: ReceivedWebhook[] = [];
  /** how it responds; may be changed at any time */
  respond: Respond;
  url = "";
  readonly #server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    this.got.push({ path: request.url, headers: request.headers as Record<string, string>, body });
    this.respond(response, request);
  });

  private constructor(respond: Respond) {
    this.respond = respond;
  }

  static async start(
    respond: Respond = (response) => response.writeHead(204).end(),
  ): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(respond);
    await receiver.#listen(0);
    const { port } = receiver.#server.address() as AddressInfo;
    receiver.url = `http://127.0.0.1:${port}/hooks?customer=1`;
    return receiver;
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
  }

  /** What it has got, after it has checked the signatures. */
  verified<Payload>(secret: string): Payload[] {
    return this.got.map(({ headers, body }) => new Webhook(secret).verify(body, headers) as Payload);
  }

  /** Starts it again at the same address. */
  restart = () => this.#listen(Number(new URL(this.url).port));

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
