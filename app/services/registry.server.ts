import type { ServiceRegistry } from "../embed/service";
import * as enabled from "./enabled.server";

/** Whose names are known already; each until it is enabled. */
const planned = { notif: null, tasks: null };

/** The services that may be named, by key: those that can be embedded, and null for one that is planned. */
export const services = { ...planned, ...enabled } satisfies ServiceRegistry;
