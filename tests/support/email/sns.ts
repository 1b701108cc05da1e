/** An HTTP test double of Amazon SNS. It serves SNS's addresses and signs messages as SNS does, with the test's own keys. */
import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type SnsMessage, signedText } from "../../../app/providers/verify-sns-message.server";
import { makeTestFolder } from "../databases/postgres";
import { makeCertificate } from "../network/certificate";

export const TOPIC = "arn:aws:sns:eu-west-1:123456789012:email-events";
export const AMAZON = "https://sns.eu-west-1.amazonaws.com";

export interface Signer {
  key: KeyObject;
  /** PEM */
  certificate: string;
}

export async function makeSigner(subject = "/CN=sns.amazonaws.com"): Promise<Signer> {
  const folder = await makeTestFolder();
  const { keyFile, certificateFile } = await makeCertificate(folder, subject);
  const [key, certificate] = await Promise.all([
    readFile(keyFile, "utf8"),
    readFile(certificateFile, "utf8"),
  ]);
  await rm(folder, { recursive: true });
  return { key: createPrivateKey(key), certificate };
}

type Answer = (response: ServerResponse) => unknown;

export interface SnsAtTheWire {
  signer: Signer;
  /** requested paths, with their queries */
  asked: string[];
  /** Sets the response to a path, for every region's host. */
  serve(path: string, answer: Answer | string): void;
  /** Makes a message as Amazon posts it. `changes` are signed; `after` overrides members after signing. */
  message(changes?: object, after?: object, signer?: Signer): string;
  close(): Promise<void>;
}

/** Redirects every `fetch` from Amazon SNS in this process to a local HTTP server. */
export async function startSns(): Promise<SnsAtTheWire> {
  const signer = await makeSigner();
  const answers = new Map<string, Answer | string>([
    ["/SimpleNotificationService-1.pem", signer.certificate],
  ]);
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const answer = answers.get(request.url?.split("?")[0] ?? "") ?? ((it) => it.writeHead(404).end());
    if (typeof answer === "string") response.end(answer);
    else answer(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const realFetch = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!/^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/.test(url.host)) return realFetch(input, init);
    return realFetch(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}${url.pathname}${url.search}`,
      init,
    );
  };
  let count = 0;
  return {
    signer,
    asked,
    serve: (path, answer) => void answers.set(path, answer),
    message(changes = {}, after = {}, by = signer) {
      const message = {
        Type: "Notification",
        MessageId: `message-${++count}`,
        TopicArn: TOPIC,
        Message: "{}",
        Timestamp: new Date().toISOString(),
        SignatureVersion: "1",
        SigningCertURL: `${AMAZON}/SimpleNotificationService-1.pem`,
        Signature: "",
        ...changes,
      } as SnsMessage;
      const digest = message.SignatureVersion === "2" ? "RSA-SHA256" : "RSA-SHA1";
      const Signature = sign(digest, Buffer.from(signedText(message)), by.key).toString("base64");
      return JSON.stringify({ ...message, Signature, ...after });
    },
    async close() {
      globalThis.fetch = realFetch;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
