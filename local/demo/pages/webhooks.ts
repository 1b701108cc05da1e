import { asJson, codeBlock, type DemoPage } from "../page";

/** A receiver of webhooks that prints what it gets, as it comes. */
export const webhooksPage: DemoPage = {
  path: "/webhooks",
  label: "Webhooks",
  title: "Webhooks",
  lead: "What Northwind's server is told, as it happens. Each message is signed, and is printed once its signature is verified.",
  render: () => `
<div class="with-aside">
  <section class="card webhooks" aria-label="Messages">
    <p class="actions">
      <label><input type="checkbox" id="is-down"> Northwind's server is down (it answers 503)</label>
    </p>
    <p id="outcome" role="status"></p>
    <ol id="messages" class="events" aria-label="Verified messages" tabindex="0"></ol>
    <p id="no-messages">Nothing since this page was first opened. Upload, rename or delete a file under <a href="/" target="_blank">Files</a>.</p>
  </section>
  <aside class="card code" aria-label="How this page is made">
    <h2>All that Northwind wrote</h2>
    ${codeBlock("Once, with its API key", CREATE_LINES)}
    ${codeBlock("On its server", RECEIVER_LINES)}
    <p>Tick the box, change some files, and untick it: everything arrives, the first attempts again after 5 seconds and then after 5 minutes.</p>
  </aside>
</div>
<script type="module" src="/webhooks.js"></script>`,
  backend: {
    "POST /my-webhook": async ({ webhooks }) => {
      const failure = await webhooks.connect();
      return failure === undefined
        ? asJson(200, { isDown: webhooks.isDown })
        : asJson(502, { error: failure });
    },
    "POST /my-webhook/down": async ({ webhooks }, body) => {
      webhooks.isDown = body === "true";
      return asJson(200, { isDown: webhooks.isDown });
    },
    "POST /my-webhook/messages": async ({ webhooks }, body) =>
      asJson(200, { messages: webhooks.messagesAfter(Number(body) || 0) }),
  },
};

const CREATE_LINES = `POST /api/webhooks
X-Api-Key: …

{ "url": "https://northwind.example/webhook",
  "types": ["*"] }`;

const RECEIVER_LINES = `import { createWebhookHandler, toNodeHandler }
  from "platform-embed-element/server";

const handler = createWebhookHandler({
  secret: process.env.WEBHOOK_SECRET,
  onEvent: (event) => print(event),
});
app.post("/webhook", toNodeHandler(handler));`;
