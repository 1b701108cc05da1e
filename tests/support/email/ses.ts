/** An HTTP test double of Amazon SES v2's SendEmail with injectable faults. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type InjectedFault, injectFault } from "../../../local/fault-injection";

export interface SentEmail {
  FromEmailAddress: string;
  Destination: { ToAddresses: [string] };
  ReplyToAddresses?: string[];
  ConfigurationSetName?: string;
  EmailTags?: { Name: string; Value: string }[];
  Content: { Simple: { Subject: { Data: string }; Headers?: { Name: string; Value: string }[] } };
}

type SesFault = InjectedFault<{ status: number; type: string; message?: string }>;

type FaultOf = (email: SentEmail, request: IncomingMessage) => SesFault | undefined;

export interface Ses {
  endpoint: string;
  /** accepted e-mails, in order */
  accepted: SentEmail[];
  /** number of requests, including failed ones */
  requests: number;
  /** Injects a fault into each request from now on; undefined accepts the request. */
  setFault(faultOf: FaultOf | undefined): void;
  /** Closes a connection when its second request arrives, as a server does that has just closed an idle connection. */
  closeAfterOne(): void;
  /** Called when a message is accepted. The response is sent when it resolves. */
  onAccept(hook: (() => Promise<unknown> | unknown) | undefined): void;
  close(): Promise<void>;
}

export async function startSes(): Promise<Ses> {
  let faultOf: FaultOf | undefined;
  let hook: (() => Promise<unknown> | unknown) | undefined;
  const respond = async (email: SentEmail, request: IncomingMessage, response: ServerResponse) => {
    ses.requests++;
    const fault = faultOf?.(email, request) ?? {};
    await injectFault(fault, request);
    if (fault.error !== undefined) {
      const { status, type, message = "from the test" } = fault.error;
      response.writeHead(status, { "Content-Type": "application/json", "X-Amzn-ErrorType": type });
      return response.end(JSON.stringify({ message }));
    }
    ses.accepted.push(email);
    const messageId = `ses-${ses.accepted.length}`;
    await hook?.();
    // Set explicitly, because Node would add a Keep-Alive header, which not every server sends.
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
