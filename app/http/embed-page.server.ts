import { randomBytes } from "node:crypto";
import { data, type LoaderFunctionArgs } from "@remix-run/node";
import type { EmbedTheme } from "../../embed-element/protocol";
import { errorCodes } from "../app-error";
import type { FrameProps } from "../embed/frame/frame-props";
import { openEmbed } from "../embed/open-embed.server";
import { parentOriginOf } from "../embed/origin";
import { EmbedRefusal, type RefusalCode, refusals } from "../embed/refusals";
import type { RequestContext } from "../request-context.server";
import { type AppContext, appOf } from "./app-context.server";
import { contentSecurityPolicy } from "./content-security-policy.server";
import { type Failure, toFailure } from "./failure.server";
import { contextOf } from "./front-door.server";
import { isServedHere } from "./host.server";
import { logged } from "./logged.server";
import { toolsOf } from "./service-tools.server";

/** What every embed page needs to render, shown or refused. */
export interface EmbedPageSettings {
  nonce: string;
  theme: EmbedTheme;
  /** a BCP 47 language tag */
  locale: string;
}

export interface RefusedEmbed {
  service: string;
  code: RefusalCode;
  title: string;
  advice: string;
  requestId: string;
  /** where the page around may be told, if it can be known */
  parentOrigin: string | null;
}

export type EmbedPageData = EmbedPageSettings &
  (
    | { shown: true; service: string; frame: Omit<FrameProps, "theme" | "locale">; content: object }
    | { shown: false; refused: RefusedEmbed }
  );

/** A page with what its headers say. */
interface Rendered {
  page: EmbedPageData;
  status: number;
  policy: { connectSources?: readonly string[]; frameAncestors?: readonly string[] };
  refusal?: Refusal;
}

/**
 * The loader of pages under `/embed/`: host, token, service and parent origin are judged before the service is asked for its content,
 * and whatever is thrown becomes the unauthorized state. docs/contract.md#rendering
 */
export async function embedPage({ request, params, context: loadContext }: LoaderFunctionArgs) {
  const app = appOf(loadContext);
  const context = contextOf(request);
  const url = new URL(request.url);
  const settings = readSettings(url.searchParams);
  const service = params.service ?? "";
  return logged(request, context, async () => {
    const { page, status, policy, refusal } = await show(
      { service, token: url.searchParams.get("t"), request, settings },
      app,
      context,
    ).catch((thrown) => refuse(thrown, { service, request, settings }, app, context));
    const { nonce } = settings;
    const headers = {
      "Content-Security-Policy": contentSecurityPolicy({
        ...policy,
        nonce,
        development: !app.env.production,
      }),
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": context.requestId,
      ...(refusal?.retryAfterSeconds ? { "Retry-After": String(refusal.retryAfterSeconds) } : {}),
    };
    const { code, failure } = refusal ?? {};
    return { result: data(page, { status, headers }), status, ...(code && { code }), failure };
  });
}

interface Asked {
  /** as the address names it */
  service: string;
  request: Request;
  settings: EmbedPageSettings;
}

async function show(
  { service: key, token, request, settings }: Asked & { token: string | null },
  app: AppContext,
  context: RequestContext,
): Promise<Rendered> {
  const { env, services } = app;
  const tools = toolsOf(app, context);
  const { nowSeconds } = tools;
  if (!isServedHere(request, "platform", env)) throw new EmbedRefusal("not_found");
  const opened = openEmbed({ service: key, token, headers: request.headers }, services, {
    signingSecrets: env.embedSigningSecrets,
    nowSeconds,
  });
  const { service, grant, parentOrigin, parentOrigins } = opened;
  await app.rateLimits.count("token", opened.token);
  return {
    page: {
      ...settings,
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

interface Refusal {
  code: RefusalCode;
  /** a defect of ours or a provider's, for the log */
  failure?: Failure;
  retryAfterSeconds?: number | undefined;
}

async function refuse(
  thrown: unknown,
  { service, request, settings }: Asked,
  app: AppContext,
  context: RequestContext,
): Promise<Rendered> {
  const refusal = await refusalOf(thrown, app, context);
  const { code } = refusal;
  const { status, title, advice } = refusals[code];
  const parentOrigin = parentOriginOf(request.headers);
  const refused = { service, code, title, advice, requestId: context.requestId, parentOrigin };
  return { page: { ...settings, shown: false, refused }, status, policy: {}, refusal };
}

/** What the page says of whatever was thrown. Callers without a valid token are counted: guessing has a limit. */
async function refusalOf(thrown: unknown, app: AppContext, context: RequestContext): Promise<Refusal> {
  if (!(thrown instanceof EmbedRefusal)) {
    const failure = toFailure(thrown);
    const { code, retryAfterSeconds } = failure.error;
    if (code === "rate_limited") return { code, retryAfterSeconds };
    return { code: errorCodes[code].status === 503 ? "unavailable" : "internal", failure };
  }
  const { code } = thrown;
  if (refusals[code].status !== 401) return { code };
  return app.rateLimits.count("address", context.callerAddress).then(
    () => ({ code }),
    (limited) => refusalOf(limited, app, context),
  );
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
