import type { ServiceRegistry } from "../embed/service";
import * as enabled from "./enabled.server";

/** Services that are announced but not enabled. */
const planned = { notif: null, tasks: null };

/** All services by key; null for planned ones. */
export const services = { ...planned, ...enabled } satisfies ServiceRegistry;
