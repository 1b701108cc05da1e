import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { expect, it } from "vitest";
import { findFreePort } from "../tests/support/machine/free-port";
import { isPortFree } from "./addresses";
import { startMailbox } from "./mailbox";

it("takes mail as SES does, shows it, and leaves its port when it stops", async () => {
  const port = await findFreePort();
  const mailbox = await startMailbox(port);
  const client = new SESv2Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: "ca-central-1",
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
  });
  const { MessageId } = await client.send(
    new SendEmailCommand({
      FromEmailAddress: "no-reply@platform.example",
      Destination: { ToAddresses: ["reader@customer.example"] },
      Content: { Simple: { Subject: { Data: "Hello" }, Body: { Text: { Data: "Good day." } } } },
    }),
  );
  client.destroy();
  const { emails } = await (await fetch(`http://127.0.0.1:${port}/store`)).json();
  expect(emails).toMatchObject([{ messageId: MessageId, subject: "Hello" }]);
  expect((await fetch(`http://127.0.0.1:${port}/`)).headers.get("content-type")).toContain("text/html");
  await mailbox.close();
  expect(await isPortFree(port)).toBe(true);
});

it("keeps the newest mail of a large campaign", async () => {
  const port = await findFreePort();
  const mailbox = await startMailbox(port, 10);
  const store = `http://127.0.0.1:${port}/store`;
  for (let number = 1; number <= 40; number++)
    await fetch(`http://127.0.0.1:${port}/v2/email/outbound-emails`, {
      method: "POST",
      headers: { Authorization: "AWS4-HMAC-SHA256 any", "Content-Type": "application/json" },
      body: JSON.stringify({
        FromEmailAddress: "no-reply@platform.example",
        Destination: { ToAddresses: ["reader@customer.example"] },
        Content: { Simple: { Subject: { Data: `${number}` }, Body: { Text: { Data: "Good day." } } } },
      }),
    });
  const { emails } = await (await fetch(store)).json();
  expect(emails.length).toBeGreaterThanOrEqual(10);
  expect(emails.length).toBeLessThanOrEqual(12);
  expect(emails.at(-1).subject).toBe("40");
  await mailbox.close();
});
