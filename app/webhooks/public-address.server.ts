import { type LookupAddress, type LookupAllOptions, NOTFOUND } from "node:dns";
import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

/** All IPv6 addresses of the internet. RFC 4291, section 2.4; others hide an IPv4 address, or have no meaning yet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Services of the machine's host, which Microsoft Azure offers at a public address. */
const AZURE_HOST = "168.63.129.16";

/** Whether an IP address belongs to the internet: not to this machine, its network or a provider's, and not to a way around that. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast" || parsed.toString() === AZURE_HOST) return false;
  return parsed instanceof ipaddr.IPv4 || (parsed as ipaddr.IPv6).match(GLOBAL_UNICAST);
}

/** A host name leads to an address that is not public. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";
}

/** How names are resolved. Tests pass their own. */
type Resolve = (hostname: string, options: LookupAllOptions, callback: ResolveCallback) => void;
type ResolveCallback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** How long a name server may take for the first time, milliseconds. It gets one more chance, and twice as long. */
const NAME_SERVER_MS = 2_000;

/**
 * Looks names up by asking the name servers. `lookup` of Node, and so every connection by default, takes one of the two threads that the process
 * has for that: two names whose own servers are silent would keep the names of the store and of the database from being looked up.
 * The machine's file of hosts is not read: what it names is no receiver of somebody else.
 */
export const resolveBy =
  (resolver: Pick<Resolver, "resolve4" | "resolve6">): Resolve =>
  (hostname, _options, callback) => {
    Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
      .then(([v4, v6]) => {
        const addresses = [
          ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
          ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : []),
        ];
        callback(addresses.length === 0 && v4.status === "rejected" ? v4.reason : null, addresses);
      })
      // A rejection that nobody handles would end the process.
      .catch((thrown) => callback(thrown, []));
  };

/**
 * Makes the `lookup` of a connection. The connection goes to one of the addresses that were checked, whatever the name server says next. A
 * name that leads to any other address is refused.
 */
export const lookupPublic =
  (resolve: Resolve = resolveBy(new Resolver({ timeout: NAME_SERVER_MS, tries: 2 }))): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "");
      // A CNAME that leads to nothing. `net` would throw.
      if (addresses.length === 0)
        return callback(Object.assign(new Error("The name has no address."), { code: NOTFOUND }), "");
      if (!addresses.every(({ address }) => isPublicAddress(address)))
        return callback(new PrivateAddressError("The address is not public."), "");
      if (options.all) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? "", addresses[0]?.family);
    });
  };

/**
 * What is wrong with the URL of an endpoint, for people; null if nothing is. A host name is only checked when the connection is made.
 * @param allowPrivate allows http and private addresses
 */
export function issueOfUrl(text: string, { allowPrivate }: { allowPrivate: boolean }): string | null {
  if (!URL.canParse(text)) return "must be a URL, like https://example.com/webhooks";
  const { protocol, hostname, port, username, password, hash } = new URL(text);
  if (protocol !== "https:" && !(allowPrivate && protocol === "http:"))
    return allowPrivate ? "must begin with https:// or http://" : "must begin with https://";
  if (username !== "" || password !== "") return "must not contain a user or a password";
  // Nothing can listen there.
  if (port === "0") return "must not have the port 0";
  if (hash !== "") return "must not contain a #";
  if (allowPrivate) return null;
  // URL has given every IP address its normal form.
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  const isPrivate = isIP(address) === 0 ? /(^|\.)localhost\.?$/.test(hostname) : !isPublicAddress(address);
  return isPrivate ? "must lead to a public address" : null;
}
