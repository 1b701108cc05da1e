import type { ServiceRegistry } from "../embed/service";
import { files } from "./files/service.server";

/**
 * The services that can be embedded, by key; null for one that is planned and not enabled yet. Each that is enabled has its view in
 * `views.ts`: types do not let one be without the other.
 */
export const services = {
  files,
  notif: null,
  tasks: null,
} satisfies ServiceRegistry;

/** What the server hands to the view of each enabled service. */
export type Contents = {
  [Key in keyof typeof services as (typeof services)[Key] extends null ? never : Key]: Awaited<
    ReturnType<Exclude<(typeof services)[Key], null>["load"]>
  >;
};
