import { randomBytes } from "node:crypto";
import { data, type LoaderFunctionArgs } from "@remix-run/node";
import type { EmbedTheme } from "../../embed-element/protocol";
import { errorCodes } from "../app-error";
import { type OpenedEmbed, openEmbed } from "../embed/open-embed.server";
import { parentOriginOf } from "../embed/origin";
import { EmbedRefusal, type RefusalCode, refusals } from "../embed/refusals";
import { currentRequest, currentRequestId } from "../request-context.server";
import { contentSecurityPolicy } from "./content-security-policy.server";
import { type Failure, toFailure } from "./failure.server";
import { isServedHere } from "./host.server";
import type { RateLimits } from "./rate-limits.server";
import { CLIENT_GONE, logRequest } from "./request-log.server";
import { type Services, services } from "./services.server";

/** What every embed page needs to render, shown or refused. */
export interface EmbedPageFrame {
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

type EmbedPageData<Content> = EmbedPageFrame &
  ({ shown: true; content: Content } | { shown: false; refused: RefusedEmbed });

/**
 * The way in for pages under `/embed/`: host, token, service and parent origin are judged before `show` is called, and
 * whatever is thrown becomes the unauthorized state. The page's headers come with the answer.
 */
export function embedPage<Content>(
  show: (embed: OpenedEmbed, services: Services) => Promise<{ content: Content; storeOrigin: string }>,
) {
  return async ({ request, params }: LoaderFunctionArgs) => {
    const started = performance.now();
    const requestId = currentRequestId() ?? crypto.randomUUID();
    const url = new URL(request.url);
    const service = params.service ?? "";
    const frame = readFrame(url.searchParams);
    const { env, now, rateLimits } = services;
    let refusal: Refusal | undefined;
    let page: EmbedPageData<Content>;
    let policy: Parameters<typeof contentSecurityPolicy>[0] = {
      nonce: frame.nonce,
      development: !env.production,
    };
    try {
      if (!isServedHere(request, "platform", env)) throw new EmbedRefusal("not_found");
      const embed = openEmbed(
        { service, token: url.searchParams.get("t"), headers: request.headers },
        { signingSecrets: env.embedSigningSecrets, nowSeconds: now() },
      );
      await rateLimits.count("token", embed.token);
      const { content, storeOrigin } = await show(embed, services);
      page = { ...frame, shown: true, content };
      policy = { ...policy, storeOrigin, frameAncestors: embed.parentOrigins };
    } catch (thrown) {
      refusal = await refusalOf(thrown, rateLimits);
      const { title, advice } = refusals[refusal.code];
      const parentOrigin = parentOriginOf(request.headers);
      page = {
        ...frame,
        shown: false,
        refused: { service, code: refusal.code, title, advice, requestId, parentOrigin },
      };
    }
    const status = refusal === undefined ? 200 : refusals[refusal.code].status;
    const isGone = request.signal.aborted;
    logRequest({
      method: request.method,
      status: isGone ? CLIENT_GONE : status,
      milliseconds: performance.now() - started,
      ...(refusal === undefined ? {} : { code: refusal.code }),
      ...(refusal?.failure && !isGone ? { failure: refusal.failure } : {}),
    });
    return data(page, {
      status,
      headers: {
        "Content-Security-Policy": contentSecurityPolicy(policy),
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Request-Id": requestId,
        ...(refusal?.retryAfterSeconds ? { "Retry-After": String(refusal.retryAfterSeconds) } : {}),
      },
    });
  };
}

interface Refusal {
  code: RefusalCode;
  /** a defect of ours or a provider's, for the log */
  failure?: Failure;
  retryAfterSeconds?: number | undefined;
}

/** What the page says of whatever was thrown. Callers without a valid token are counted: guessing has a limit. */
async function refusalOf(thrown: unknown, rateLimits: RateLimits): Promise<Refusal> {
  if (!(thrown instanceof EmbedRefusal)) {
    const failure = toFailure(thrown);
    const { code, retryAfterSeconds } = failure.error;
    if (code === "rate_limited") return { code, retryAfterSeconds };
    return { code: errorCodes[code].status === 503 ? "unavailable" : "internal", failure };
  }
  if (refusals[thrown.code].status !== 401) return { code: thrown.code };
  try {
    await rateLimits.count("address", currentRequest()?.callerAddress ?? "unknown");
    return { code: thrown.code };
  } catch (limited) {
    return refusalOf(limited, rateLimits);
  }
}

function readFrame(query: URLSearchParams): EmbedPageFrame {
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
