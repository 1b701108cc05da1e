/**
 * Who counts as one caller where there is no credential: an IPv4 address, without the port that some proxies add, or the /64 of an
 * IPv6 address. A single connection has all of a /64 to itself, and could come from another address of it each time.
 * Whatever is no address is one caller by itself, cut at 64 characters.
 */
export function callerOf(address: string): string {
  const host = /^\[([^\]]*)\](:\d+)?$/.exec(address)?.[1] ?? address;
  const v4 = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?$/i.exec(host)?.[1];
  if (v4 !== undefined) return v4;
  return /^[\da-f:]{2,39}(\.|%|$)/i.test(host) && host.includes(":") ? networkOf(host) : host.slice(0, 64);
}

/** The first four groups of an IPv6 address, RFC 4291, section 2.2. */
function networkOf(address: string): string {
  const [head = [], tail] = address.split("::", 2).map((part) => part.split(":").filter(Boolean));
  const zeros = tail === undefined ? 0 : Math.max(8 - head.length - tail.length, 0);
  const groups = [...head, ...Array(zeros).fill("0"), ...(tail ?? [])];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
