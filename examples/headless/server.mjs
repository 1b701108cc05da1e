/** Serves the page, the engine's files and the token endpoint. Use your own server for all of them. */
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { createEmbedHandler, toNodeHandler } from "platform-embed-element/server";

const { EMBED_API_BASE_URL, EMBED_API_KEY, PORT = "5174" } = process.env;
const HOST = `127.0.0.1:${PORT}`;

const embedUrl = toNodeHandler(
  createEmbedHandler({
    apiBaseUrl: EMBED_API_BASE_URL,
    apiKey: EMBED_API_KEY,
    // Your app returns what its signed-in user may see, and nothing if nobody is signed in.
    scope: () => ({
      bucket: "demo-files",
      path: "/Contracts",
      actions: ["download", "upload", "organize", "delete"],
    }),
  }),
);

/** By address; the engine's own files are beside one another, so its folder is served as it is. */
const page = { "/": "index.html", "/files.mjs": "files.mjs" };
const engine = new URL("../", import.meta.resolve("platform-embed-element/client"));
const ENGINE_FILE = /^\/platform-embed-element\/((?:[\w-]+\/)*[\w-]+\.js)$/;

const server = createServer((request, response) => {
  // Any site's name may lead to this machine, and its page could then read the token.
  if (request.headers.host !== HOST) return response.writeHead(403).end(`Open http://${HOST}\n`);
  const [pathname] = request.url.split("?");
  if (pathname === "/embed-url") return embedUrl(request, response);
  const [, engineFile] = ENGINE_FILE.exec(pathname) ?? [];
  const name = engineFile ?? page[pathname];
  if (name === undefined) return response.writeHead(404).end();
  const type = name.endsWith(".html") ? "text/html" : "text/javascript";
  response.setHeader("Content-Type", `${type}; charset=utf-8`);
  createReadStream(new URL(name, engineFile ? engine : import.meta.url))
    .on("error", () => response.writeHead(404).end())
    .pipe(response);
});

// Only this machine: nobody has to sign in here.
server.listen(Number(PORT), "127.0.0.1", () => console.log(`http://${HOST}`));
