import { randomBytes } from "node:crypto";
import { data, type LoaderFunctionArgs } from "@remix-run/node";
import type { EmbedTheme } from "../../embed-element/protocol";
import { type AppError, errorCodes } from "../app-error";
import type { FrameProps } from "../embed/frame/frame-props";
import { openEmbed } from "../embed/open-embed.server";
import { parentOriginOf } from "../embed/origin";
import { type RefusalCode, refusal, refusals } from "../embed/refusals";
import type { RefusedPageProps } from "../embed/refused-page.server";
import type { RequestContext } from "../request-context.server";
import { type AppContext, appOf, toolsOf } from "./app-context.server";
import { contentSecurityPolicy } from "./content-security-policy.server";
import { failureOf } from "./failure.server";
import { contextOf } from "./front-door.server";
import { isServedHere } from "./host.server";
import { logged } from "./request-log.server";

/** What every embed page needs to render, shown or refused. */
interface EmbedPageSettings {
  nonce: string;
  theme: EmbedTheme;
  /** a BCP 47 language tag */
  locale: string;
}

/** A page with what its headers say. */
interface Rendered {
  page:
    | { shown: true; service: string; frame: Omit<FrameProps, "theme" | "locale">; content: object }
    | { shown: false; refused: RefusedPageProps["refused"] };
  status: number;
  policy: { connectSources?: readonly string[]; frameAncestors?: readonly string[] };
  failure?: AppError;
}

/**
 * The loader of pages under `/embed/`: host, token, service and parent origin are judged before the service is asked for its content,
 * and whatever is thrown becomes the unauthorized state. docs/contract.md#rendering
 */
export async function embedPage({ request, params, context: loadContext }: LoaderFunctionArgs) {
  const app = appOf(loadContext);
  const context = contextOf(request, "/embed/:service");
  const query = new URL(request.url).searchParams;
  const settings = readSettings(query);
  const service = params.service ?? "";
  return logged(request, context, async () => {
    const { page, status, policy, failure } = await show(
      request,
      service,
      query.get("t"),
      app,
      context,
    ).catch(async (thrown: unknown) =>
      refuse(request, service, context, await failureOf(thrown, app.rateLimits, context)),
    );
    const { nonce } = settings;
    const development = !app.env.production;
    const headers = {
      "Content-Security-Policy": contentSecurityPolicy({ ...policy, nonce, development }),
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "no-store",
      ...(failure?.retryAfterSeconds ? { "Retry-After": String(failure.retryAfterSeconds) } : {}),
    };
    return { result: data({ ...settings, ...page }, { status, headers }), status, failure };
  });
}

async function show(
  request: Request,
  key: string,
  token: string | null,
  app: AppContext,
  context: RequestContext,
): Promise<Rendered> {
  const { env, services } = app;
  const tools = toolsOf(app, context);
  const { nowSeconds } = tools;
  if (!isServedHere(request, "platform", env)) throw refusal("not_found");
  const opened = openEmbed({ service: key, token, headers: request.headers }, services, {
    signingSecrets: env.embedSigningSecrets,
    nowSeconds,
  });
  const { service, grant, parentOrigin, parentOrigins } = opened;
  await app.rateLimits.count("token", opened.token);
  return {
    page: {
      shown: true,
      service: key,
      frame: {
        token: opened.token,
        expiresAt: grant.expiresAt,
        serverNow: nowSeconds,
        parentOrigin,
        parentOrigins,
        development: !env.production,
      },
      content: await service.load(grant, tools),
    },
    status: 200,
    policy: {
      connectSources: await service.connectSources(grant.scope, tools),
      frameAncestors: parentOrigins,
    },
  };
}

function refuse(
  request: Request,
  service: string,
  { requestId }: RequestContext,
  failure: AppError,
): Rendered {
  // What the page has no words for is not the visitor's to act on.
  const code = failure.code in refusals ? (failure.code as RefusalCode) : "internal";
  const refused = {
    ...refusals[code],
    service,
    code,
    requestId,
    parentOrigin: parentOriginOf(request.headers),
  };
  return { page: { shown: false, refused }, status: errorCodes[code].status, policy: {}, failure };
}

function readSettings(query: URLSearchParams): EmbedPageSettings {
  const theme = query.get("theme");
  return {
    nonce: randomBytes(16).toString("base64"),
    theme: theme === "light" || theme === "dark" ? theme : "auto",
    locale: readLocale(query.get("locale")),
  };
}

const DEFAULT_LOCALE = "en";

function readLocale(tag: string | null): string {
  if (tag === null || tag.length > 64) return DEFAULT_LOCALE;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? DEFAULT_LOCALE;
  } catch {
    return DEFAULT_LOCALE;
  }
}
