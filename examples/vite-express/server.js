import cookieSession from "cookie-session";
import express from "express";
import { createEmbedHandler, revokeEmbedTokens, toNodeHandler } from "platform-embed-element/server";
import { scopeOf, users } from "./users.js";

const { EMBED_API_BASE_URL, EMBED_API_KEY, SESSION_SECRET, COOKIE_SECURE, PORT = "5173" } = process.env;
if (!SESSION_SECRET) throw new Error("SESSION_SECRET is not set.");

const platform = { apiBaseUrl: EMBED_API_BASE_URL, apiKey: EMBED_API_KEY };

const app = express();
// Other sites' requests come without the cookie, but a response could replace it, and so sign the visitor in or out.
app.use("/api", (req, res, next) => {
  const { origin, "sec-fetch-site": site } = req.headers;
  const isOwnPage = site
    ? site === "same-origin"
    : [undefined, `https://${req.host}`, `http://${req.host}`].includes(origin);
  if (req.method === "POST" && !isOwnPage) return res.sendStatus(403);
  next();
});
app.use(
  cookieSession({
    name: "session",
    keys: [SESSION_SECRET],
    maxAge: 7 * 24 * 60 * 60 * 1000,
    httpOnly: true,
    sameSite: "lax",
    secure: COOKIE_SECURE !== "false",
  }),
);
app.use((req, _res, next) => {
  req.user = users.find(({ id }) => id === req.session.userId);
  next();
});

app.get("/api/me", (req, res) => {
  res.set("Cache-Control", "no-store").json(req.user ? { name: req.user.name } : null);
});

// A stand-in for your own sign-in, which checks a password or asks your identity provider.
app.post("/api/sign-in", express.json(), (req, res) => {
  const user = users.find(({ id }) => id === req.body?.userId);
  if (!user) return res.sendStatus(400);
  req.session = { userId: user.id };
  res.sendStatus(204);
});

app.post("/api/sign-out", async (req, res) => {
  const { user } = req;
  req.session = null;
  // Ends the user's embed tokens on all devices. A device whose session goes on gets a new one.
  // If the platform cannot be reached, the session ends all the same, and the tokens expire by themselves.
  if (user) await revokeEmbedTokens({ ...platform, visitor: user.id }).catch(console.error);
  res.sendStatus(204);
});

// `<platform-embed>` calls it for its first token and for every renewal.
app.post(
  "/embed-url",
  toNodeHandler(
    createEmbedHandler({
      ...platform,
      scope: (_request, req) => req.user && scopeOf(req.user),
      visitor: (_request, req) => ({ id: req.user.id, name: req.user.name }),
    }),
  ),
);

const isDevelopment = process.argv.includes("--dev");
if (isDevelopment) {
  const { createServer } = await import("vite");
  const vite = await createServer({ server: { middlewareMode: true } });
  app.use(vite.middlewares);
} else {
  app.use(express.static("dist"));
}

// In development, only this machine can reach the sign-in without passwords.
const host = isDevelopment ? "localhost" : undefined;
app.listen({ port: Number(PORT), host }, (error) => {
  // Most often, the port is taken.
  if (error) throw error;
  console.log(`http://localhost:${PORT}`);
});
