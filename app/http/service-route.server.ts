import type { z } from "zod";
import type { EmbedService, Grant, ServiceTools } from "../embed/service";
import { AppError } from "../shared/app-error";
import { apiRoute } from "./api-route.server";
import { embedToken, identityOfGrant } from "./auth.server";
import { type EndpointDeclaration, endpoint } from "./endpoint.server";
import type { RateLimits } from "./rate-limits.server";

type PostWithToken<Scope extends object, Body extends z.ZodType> = EndpointDeclaration<
  Grant<Scope>,
  z.ZodUndefined,
  z.ZodUndefined,
  Body,
  Record<number, z.ZodType>,
  z.ZodObject
>;

/** Declares an operation of an embedded service: a POST by the frame, with the embed token in its JSON body. */
export function serviceRoute<Scope extends object, Body extends z.ZodType, Result extends z.ZodType>(
  service: Pick<EmbedService<Scope>, "key" | "scopeSchema" | "assertOperationInScope">,
  route: string,
  {
    result,
    handle,
    isHeavy = () => false,
    furtherRequests = () => 0,
    events = () => 0,
    recorded,
    ...declaration
  }: Pick<
    PostWithToken<Scope, Body>,
    "operationId" | "summary" | "body" | "errors" | "maxBodyBytes" | "budgetMs"
  > & {
    /** the schema of the response */
    result: Result;
    /** Whether it takes seconds and many calls of a provider, so that only a few may run at once. */
    isHeavy?(body: z.output<Body>, grant: Grant<Scope>): boolean;
    /** How many more requests it counts as: one for many files costs what many cost. */
    furtherRequests?(body: z.output<Body>, grant: Grant<Scope>, tools: ServiceTools): number;
    /** How many events it counts as, of those that a visitor may record in a day: it is refused before it changes anything. */
    events?(body: z.output<Body>): number;
    /**
     * How many events it has recorded. Those beyond `events` count, too, but afterwards: nobody knows before how much is in a folder. What has begun
     * is carried through, with as many events again as a day may have: a cursor can be sent again and again.
     */
    recorded?(result: z.input<Result>): number;
    handle(body: z.output<Body>, grant: Grant<Scope>, tools: ServiceTools): Promise<z.input<Result>>;
  },
) {
  return apiRoute("platform", route, {
    POST: endpoint({
      ...declaration,
      auth: embedToken(service),
      responses: { 200: result as z.ZodType },
      handle: async ({ body, caller, app, tools, countFurther }) => {
        service.assertOperationInScope?.(declaration.operationId, caller.scope);
        await countFurther(furtherRequests(body, caller, tools));
        const identity = identityOfGrant(caller, (body as { token: string }).token);
        const counted = events(body);
        if (counted > 0) await app.rateLimits.count("events", identity, counted);
        else if (recorded) await app.rateLimits.count("carried", identity, 0);
        const work = () => explainFailure(handle(body, caller, tools), tools.production);
        const result = await (isHeavy(body, caller)
          ? app.heavyRequests.run(caller.companyId, identity, work)
          : work());
        const more = (recorded?.(result) ?? 0) - counted;
        if (more > 0) await countRecorded(app.rateLimits, identity, more);
        return result;
      },
    }),
  });
}

/** Counts what is recorded already. If that was too much, the next request is refused. */
async function countRecorded(rateLimits: RateLimits, identity: string, more: number): Promise<void> {
  for (const kind of ["events", "carried"] as const) {
    const refused = await rateLimits.count(kind, identity, more).catch((error: unknown) => error);
    if (refused === undefined) return;
    if (!(refused instanceof AppError)) throw refused;
  }
}

/** In development the response contains the error's message for the log, because the developer is the operator. */
export async function explainFailure<Result>(work: Promise<Result>, production: boolean): Promise<Result> {
  if (production) return work;
  return work.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.logDetail === undefined) throw error;
    const { code, logDetail, issues, retryAfterSeconds, headers } = error;
    throw new AppError(code, logDetail, { logDetail, issues, retryAfterSeconds, headers, cause: error });
  });
}
