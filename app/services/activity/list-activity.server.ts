import { isInside, prefixOf } from "platform-embed-element/client";
import type { z } from "zod";
import type { Grant, ServiceTools } from "../../embed/service";
import { formatEvents, visitorCsv } from "../../events/event-formats.server";
import {
  findRecentVisitors,
  findVisibleEvents,
  listVisibleEvents,
  type Reach,
  type VisibleEvents,
  type VisibleEventsFilter,
} from "../../events/visible-events.server";
import { AppError, invalidRequest } from "../../shared/app-error";
import type { exportActivitySchema, listActivitySchema, peopleSchema } from "./activity-contract.server";
import type { ActivityScope } from "./scope.server";
import { reachOf } from "./service.server";

type Filters = Omit<z.output<typeof exportActivitySchema>, "token">;

/** @throws AppError `scope_not_allowed`, `invalid_request` */
export function listActivity(
  { token: _, cursor, limit, ...filters }: z.output<typeof listActivitySchema>,
  grant: Grant<ActivityScope>,
  tools: ServiceTools,
): Promise<VisibleEvents> {
  const { filter, reach } = filterWithin(filters, grant);
  return listVisibleEvents(filter, { cursor, limit }, reach, tools);
}

/** The text of a CSV file, in pieces. @throws AppError `scope_not_allowed`, `invalid_request` */
export function exportActivity(
  { token: _, ...filters }: z.output<typeof exportActivitySchema>,
  grant: Grant<ActivityScope>,
  { database }: Pick<ServiceTools, "database">,
): AsyncGenerator<string, void> {
  const { filter, reach } = filterWithin(filters, grant);
  return formatEvents(findVisibleEvents(filter, reach, database), visitorCsv);
}

/** Whom the events can be filtered by. */
export async function listPeople(
  _: object,
  grant: Grant<ActivityScope>,
  { database }: ServiceTools,
): Promise<z.input<typeof peopleSchema>> {
  return { people: await findRecentVisitors(reachOf(grant), database) };
}

/** What a person asks for, within what the token allows. */
function filterWithin(
  { bucket, folderPath, ...filter }: Filters,
  grant: Grant<ActivityScope>,
): { filter: VisibleEventsFilter; reach: Reach } {
  const { scope } = grant;
  const wanted = bucket ?? scope.bucket;
  if (scope.bucket !== undefined && wanted !== scope.bucket) {
    throw new AppError("scope_not_allowed", "That bucket is outside what this token reaches.");
  }
  const reach = { ...reachOf(grant), bucket: wanted };
  if (folderPath === undefined) return { filter, reach };
  if (wanted === undefined)
    throw invalidRequest([{ path: "bucket", message: "is required with folderPath" }]);
  if (!isInside(folderPath, scope.path ?? "/")) {
    throw new AppError("scope_not_allowed", "That path is outside what this token reaches.");
  }
  return { filter: { ...filter, prefix: prefixOf(folderPath) }, reach };
}
