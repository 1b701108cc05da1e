/** Amazon SES v2's SendEmail at the wire, which goes wrong when it is told to. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type InjectedFault, injectFault } from "../../local/fault-injection";

export interface SentEmail {
  FromEmailAddress: string;
  Destination: { ToAddresses: [string] };
  ReplyToAddresses?: string[];
  ConfigurationSetName?: string;
  EmailTags?: { Name: string; Value: string }[];
  Content: { Simple: { Subject: { Data: string }; Headers?: { Name: string; Value: string }[] } };
}

type SesFault = InjectedFault<{ status: number; type: string; message?: string }>;

export interface Ses {
  endpoint: string;
  /** what was accepted, in order */
  accepted: SentEmail[];
  /** requests, those with a fault too */
  requests: number;
  /** Decides about each request from now on; undefined accepts it. */
  setFault(faultOf: ((email: SentEmail) => SesFault | undefined) | undefined): void;
  /** Closes a connection after its first request, just as the second one comes: as every server does now and then that is idle. */
  closeAfterOne(): void;
  /** Called when a message is accepted, and before the response; while it runs, there is none. */
  onAccept(hook: (() => Promise<unknown> | unknown) | undefined): void;
  close(): Promise<void>;
}

export async function startSes(): Promise<Ses> {
  let faultOf: ((email: SentEmail) => SesFault | undefined) | undefined;
  let hook: (() => Promise<unknown> | unknown) | undefined;
  const respond = async (email: SentEmail, request: IncomingMessage, response: ServerResponse) => {
    ses.requests++;
    const fault = faultOf?.(email) ?? {};
    await injectFault(fault, request);
    if (fault.error !== undefined) {
      const { status, type, message = "from the test" } = fault.error;
      response.writeHead(status, { "Content-Type": "application/json", "X-Amzn-ErrorType": type });
      return response.end(JSON.stringify({ message }));
    }
    ses.accepted.push(email);
    const messageId = `ses-${ses.accepted.length}`;
    await hook?.();
    // By hand: Node would add how long it keeps the connection, which not every server tells.
    response.writeHead(200, { "Content-Type": "application/json", Connection: "keep-alive" });
    response.end(JSON.stringify({ MessageId: messageId }));
  };
  let closesAfterOne = false;
  const used = new WeakSet<Socket>();
  const server = createServer(async (request, response) => {
    if (closesAfterOne && used.has(request.socket)) return request.socket.destroy();
    used.add(request.socket);
    let body = "";
    for await (const chunk of request) body += chunk;
    await respond(JSON.parse(body), request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const ses: Ses = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted: [],
    requests: 0,
    setFault(wanted) {
      faultOf = wanted;
    },
    closeAfterOne() {
      closesAfterOne = true;
    },
    onAccept(wanted) {
      hook = wanted;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return ses;
}
