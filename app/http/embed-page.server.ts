import { hash, randomBytes } from "node:crypto";
import { data, type LoaderFunctionArgs } from "@remix-run/node";
import type { EmbedTheme } from "../../embed-element/protocol";
import { type PageAppearance, readAppearance } from "../embed/appearance/read-appearance.server";
import {
  type CheckedEmbedRequest,
  checkEmbedRequest,
  type RefusalCode,
  refusal,
  refusalAdvice,
} from "../embed/check-embed-request.server";
import { EMBEDDED_BY, findEmbeddingOrigin, signEmbeddedBy } from "../embed/embedded-by.server";
import type { FrameProps } from "../embed/frame/frame-props";
import { readTexts } from "../embed/frame/read-texts";
import type { RefusedFrame } from "../embed/hydration";
import type { RefusedPageProps } from "../embed/refused-page.server";
import { findService, type Grant } from "../embed/service";
import { type PageLanguage, pageLanguage } from "../locales/languages.server";
import { createTranslate, type English } from "../locales/translate";
import { type AppError, errorCodes } from "../shared/app-error";
import { contextOf, type RequestContext } from "../shared/request-context.server";
import { type AppContext, appOf, toolsOf } from "./app-context.server";
import { identityOfGrant } from "./auth.server";
import { contentSecurityPolicy, frameAncestorsOf } from "./content-security-policy.server";
import { failureOf } from "./failure.server";
import { logged } from "./request-log.server";
import { declareRoute, isKnownHost } from "./route-table.server";

const ROUTE = "/embed/:service";
declareRoute(ROUTE);

interface ShownPage {
  shown: true;
  /** the service's key */
  service: string;
  /** the key of the page that the token's scope gets; undefined for the service's own one */
  pageKey: string | undefined;
  language: PageLanguage;
  frame: Omit<FrameProps, "theme" | "appearance" | "language">;
  content: object;
}
interface RefusedPageData {
  shown: false;
  language: PageLanguage;
  refused: RefusedPageProps["refused"];
  /** what the frame needs to get another token; null if another one would not help, or nobody is known who could send it */
  frame: RefusedFrame | null;
}

/** A page with the values of its headers. */
interface Rendered {
  page: ShownPage | RefusedPageData;
  status: number;
  /** what the content security policy allows */
  csp: { connectSources?: readonly string[]; frameAncestors?: readonly string[] };
  failure?: AppError;
}

interface EmbedRequest {
  request: Request;
  query: URLSearchParams;
  /** of the requested service */
  serviceKey: string;
  /** whether the service has a page, if there is such a service */
  hasPage: boolean;
  /** of the page that embeds the frame; null if it is unknown or opaque */
  embeddingOrigin: string | null;
  app: AppContext;
  context: RequestContext;
  /** a section of the messages, in the language that the request asks for */
  languageOf(section: string): PageLanguage;
}

/**
 * The loader of all URLs under `/embed/`. Checks host, service, token, the token's service and the embedding origin, in this order,
 * before it asks the service for its content. Any error becomes the refused page. docs/contract.md#rendering
 */
export async function embedPage({ request, params, context: loadContext }: LoaderFunctionArgs) {
  const app = appOf(loadContext);
  const context = contextOf(request, ROUTE, loadContext);
  const { pathname, searchParams: query } = new URL(request.url);
  const wanted = { asked: query.get("locale"), accepted: request.headers.get("Accept-Language") };
  const embedRequest: EmbedRequest = {
    request,
    query,
    serviceKey: pathname.split("/")[2] ?? "",
    // The pages in `services/` have fixed routes. `routes/embed.$service` is for all other names.
    hasPage: params.service === undefined,
    embeddingOrigin: findEmbeddingOrigin(
      request.headers,
      query.get(EMBEDDED_BY),
      app.env.embedSigningSecrets,
    ),
    app,
    context,
    languageOf: (section) => pageLanguage(section, wanted, { pseudo: !app.env.production }),
  };
  return logged(request, context, async () => {
    const { page, status, csp, failure } = await show(embedRequest).catch((thrown: unknown) =>
      refuse(embedRequest, failureOf(thrown)),
    );
    const nonce = randomBytes(16).toString("base64");
    const development = !app.env.production;
    const headers = {
      "Content-Security-Policy": contentSecurityPolicy({ ...csp, nonce, development }),
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "no-store",
      // A page with an embedder policy of its own can only embed pages with these two headers.
      "Cross-Origin-Resource-Policy": "cross-origin",
      ...(isUnderEmbedderPolicy(request, query) ? { "Cross-Origin-Embedder-Policy": "credentialless" } : {}),
      ...(failure?.retryAfterSeconds ? { "Retry-After": String(failure.retryAfterSeconds) } : {}),
    };
    return { result: data({ nonce, ...readSettings(query), ...page }, { status, headers }), status, failure };
  });
}

/**
 * Whether the page gets an embedder policy. Chromium always gets it; only Chromium sends `Sec-CH-UA`. Other browsers get it if the
 * embedding page is isolated (`?isolated`), because with it Firefox refuses downloads from the store in a frame. docs/decisions/0083
 */
function isUnderEmbedderPolicy({ headers }: Request, query: URLSearchParams): boolean {
  return headers.has("Sec-CH-UA") || query.has("isolated");
}

async function show(embedRequest: EmbedRequest): Promise<Rendered> {
  const { query, serviceKey, app, context, languageOf } = embedRequest;
  const { env } = app;
  const { service, token, grant, embeddingOrigin } = await admit(embedRequest);
  const tools = toolsOf(app, context);
  const allowedOrigins = [...grant.origins];
  const furtherPage = service.pageOf?.(grant.scope);
  return {
    page: {
      shown: true,
      service: serviceKey,
      pageKey: furtherPage?.key,
      language: languageOf(serviceKey),
      frame: {
        token,
        title: service.titleOf?.(grant.scope) ?? null,
        expiresAt: grant.expiresAt,
        serverNow: tools.nowSeconds,
        embeddingOrigin,
        allowedOrigins,
        placeKey: placeKeyOf(serviceKey, grant),
        visitorKey: visitorKeyOf(grant),
        development: !env.production,
        texts: readTexts({ handInTitle: query.get("handInTitle"), handInText: query.get("handInText") }),
      },
      content: await (furtherPage
        ? furtherPage.load(grant, tools)
        : service.load(grant, tools, { path: query.get("path"), filter: query.get("filter") })),
    },
    status: 200,
    csp: {
      connectSources: await service.connectSources(grant.scope, tools),
      frameAncestors: frameAncestorsOf(embeddingOrigin, allowedOrigins),
    },
  };
}

/**
 * Checks the request, and counts it: by its token, or by its address if it is refused.
 * @throws AppError with a code of `refusalAdvice`
 */
async function admit(embedRequest: EmbedRequest): Promise<CheckedEmbedRequest> {
  const { app, context } = embedRequest;
  let checked: CheckedEmbedRequest;
  try {
    checked = check(embedRequest);
  } catch (refused) {
    await app.rateLimits.count("address", context.callerAddress);
    throw refused;
  }
  await app.rateLimits.count("token", identityOfGrant(checked.grant, checked.token));
  await app.revokedTokens.check(checked.grant);
  return checked;
}

function check(embedRequest: EmbedRequest): CheckedEmbedRequest {
  const { request, query, serviceKey, hasPage, app } = embedRequest;
  const { env, services, now } = app;
  if (!isKnownHost(request, "platform", env)) throw refusal("not_found");
  if (!hasPage && findService(services, serviceKey))
    throw refusal("service_not_enabled", `app/services/${serviceKey}/page.tsx is missing`);
  const asked = { ...embedRequest, service: serviceKey, token: query.get("t"), headers: request.headers };
  return checkEmbedRequest(asked, services, { signingSecrets: env.embedSigningSecrets, nowSeconds: now() });
}

/** The storage key for the folder that a visitor has open. A hash, so that the storage does not reveal the scope. */
function placeKeyOf(service: string, { companyId, scope, visitor }: Grant): string {
  return `platform-embed-place-${shortHash([companyId, service, scope, visitor?.id])}`;
}

/** As above: a browser's storage does not reveal who has visited. */
const visitorKeyOf = ({ companyId, visitor }: Grant): string => shortHash([companyId, visitor?.id]);

const shortHash = (value: unknown): string => hash("sha256", JSON.stringify(value), "base64url").slice(0, 22);

function refuse(
  { serviceKey, embeddingOrigin, app, context: { requestId }, languageOf }: EmbedRequest,
  failure: AppError,
): Rendered {
  // Codes without a message are shown as `internal`.
  const code = failure.code in refusalAdvice ? (failure.code as RefusalCode) : "internal";
  const language = languageOf("refused");
  const t = createTranslate<English["refused"]>(language.sentences, language.locale);
  const refused = {
    service: serviceKey,
    code,
    title: t(`${code}.title`),
    text: t(`${code}.text`),
    advice: app.env.production ? null : refusalAdvice[code],
    request: t("request", { id: requestId }),
    embeddingOrigin,
  };
  const isOfToken = code.startsWith("token_");
  const frame = isOfToken && embeddingOrigin !== null ? refusedFrame(serviceKey, embeddingOrigin, app) : null;
  return {
    page: { shown: false, language, refused, frame },
    status: errorCodes[code].status,
    csp: {},
    failure,
  };
}

function refusedFrame(service: string, embeddingOrigin: string, { env, now }: AppContext): RefusedFrame {
  const parameters = { [EMBEDDED_BY]: signEmbeddedBy(embeddingOrigin, env.embedSigningSecrets[0]) };
  return { service, embeddingOrigin, parameters, serverNow: now() };
}

/** What both kinds of embed page are rendered with. */
function readSettings(query: URLSearchParams): { theme: EmbedTheme; appearance: PageAppearance } {
  const theme = query.get("theme");
  return {
    theme: theme === "light" || theme === "dark" ? theme : "auto",
    appearance: readAppearance(query),
  };
}
