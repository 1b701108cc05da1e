import { join } from "node:path";
import {
  AngularNodeAppEngine,
  createNodeRequestHandler,
  isMainModule,
  writeResponseToNodeResponse,
} from "@angular/ssr/node";
import express from "express";
import { createEmbedHandler, toNodeHandler } from "platform-embed-element/server";

const app = express();
const angular = new AngularNodeAppEngine();

const handler = createEmbedHandler({
  apiBaseUrl: process.env["EMBED_API_BASE_URL"],
  apiKey: process.env["EMBED_API_KEY"],
  // The demo's photos. In your app, choose the folder by the session. Return null if nobody is signed in.
  scope: () => ({ bucket: "demo-files", path: "/Photos" }),
});
app.post("/embed-url", toNodeHandler(handler));

app.use(express.static(join(import.meta.dirname, "../browser"), { maxAge: "1y", index: false }));
app.use((request, response, next) => {
  angular
    .handle(request)
    .then((answer) => (answer ? writeResponseToNodeResponse(answer, response) : next()))
    .catch(next);
});

if (isMainModule(import.meta.url)) app.listen(Number(process.env["PORT"]), "127.0.0.1");

export const reqHandler = createNodeRequestHandler(app);
