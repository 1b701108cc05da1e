import type { ServiceRegistry } from "../embed/service";
import { activity } from "./activity/service.server";
import { files } from "./files/service.server";

/** Services that are announced, but cannot be embedded yet. */
const planned = { notif: null, tasks: null };

/** All services by key; null for planned ones. The page of each is `page.tsx` in its folder. */
export const services = { ...planned, files, activity } satisfies ServiceRegistry;
