/**
 * Every address that a route answers, as `app/routes` has them; a test compares the two. A path has one spelling: Remix would
 * also answer another case, a slash at the end or needless percent-encoding, and with them what is guarded by path in
 * front of this service could be reached past its guard.
 */
const fixed = [
  "/api/cluster/databases",
  "/api/email/events",
  "/api/email/unsubscribe",
  "/api/embed/storage/copy",
  "/api/embed/storage/create-folder",
  "/api/embed/storage/delete",
  "/api/embed/storage/diagnose",
  "/api/embed/storage/list",
  "/api/embed/storage/move",
  "/api/embed/storage/multipart/abort",
  "/api/embed/storage/multipart/complete",
  "/api/embed/storage/multipart/create",
  "/api/embed/storage/multipart/list",
  "/api/embed/storage/multipart/sign",
  "/api/embed/storage/presign-download",
  "/api/embed/storage/presign-downloads",
  "/api/embed/storage/presign-upload",
  "/api/embed/storage/restore",
  "/api/embed/storage/search",
  "/api/embed/url",
  "/api/preview-simple-email",
  "/api/queue/send-email",
  "/api/send-simple-email",
  "/healthz",
  "/metrics",
  "/openapi.json",
  "/readyz",
] as const;
/** What stands in the place of a parameter: any id that somebody may ask for, or the name of a service. */
const withParameter = {
  "/api/cluster/databases/:resourceId": /^\/api\/cluster\/databases\/([^/]+)$/,
  "/locales/:file": /^\/locales\/([\w-]{1,64}\.[\w-]{1,64}\.json)$/,
  "/embed/:service": /^\/embed\/([\w-]{1,64})$/,
};

export type Address = (typeof fixed)[number] | keyof typeof withParameter;
const patterns = Object.entries(withParameter) as [Address, RegExp][];
export const addresses: readonly Address[] = [...fixed, ...patterns.map(([address]) => address)];
/** What stands for the address of a path that is none. */
export const UNKNOWN = "(unknown)";

/** Files that are served as they are, by what they begin with. The compiler names some after their route: `embed.$service-….js`. */
const FILES =
  /^\/(build|pdfjs)\/[\w.$[\]/-]+$|^\/platform-embed[\w@.-]*\.(css|js|json)$|^\/(embed-downloads\/worker\.js|icon\.svg|robots\.txt)$/;

/** The address that a path is an instance of, like `/embed/:service`; undefined when there is nothing there. */
export function addressOf(path: string): Address | undefined {
  const known = fixed.find((address) => address === path);
  if (known !== undefined) return known;
  for (const [address, pattern] of patterns) {
    const [, parameter] = pattern.exec(path) ?? [];
    if (parameter !== undefined && isEncoded(parameter)) return address;
  }
  return undefined;
}

/** Whether every `%` of a path's segment begins an escape, and what they spell is UTF-8. */
function isEncoded(segment: string): boolean {
  try {
    return decodeURIComponent(segment) !== "";
  } catch {
    return false;
  }
}

/** Whether a path is that of a file in `public/`, which is served before any route. */
export function isFile(path: string): boolean {
  return FILES.test(path) && !path.includes("..") && !path.includes("//");
}
