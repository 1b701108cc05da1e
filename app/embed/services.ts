/** The services that can be embedded. `files` is on; the others are scaffolded and answer that they are not enabled. */
export const embedServices = {
  files: { enabled: true },
  notif: { enabled: false },
  tasks: { enabled: false },
} as const;

export type EmbedService = keyof typeof embedServices;

export function isEmbedService(service: string): service is EmbedService {
  return Object.hasOwn(embedServices, service);
}
