import { connect } from "node:tls";
import { ok, type Verdict, warning, wrong } from "./finding";

/** Whoever renews automatically does so with a month left; below this something has stopped working. */
const FEW_DAYS = 14;
const DAY_MS = 86_400_000;

/** The certificate that browsers meet at `base`, an https origin. */
export function checkCertificate(base: string, signal: AbortSignal): Promise<Verdict> {
  const { hostname, port } = new URL(base);
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve, reject) => {
    // An invalid one is looked at too, to say what is wrong with it.
    const socket = connect({ host, port: Number(port) || 443, servername: host, rejectUnauthorized: false });
    const end = () => socket.destroy();
    signal.addEventListener("abort", end, { once: true });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("The connection was closed.")));
    socket.on("secureConnect", () => {
      const daysLeft = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS);
      const issue = socket.authorized ? undefined : String(socket.authorizationError);
      resolve(judgeCertificate(base, daysLeft, issue));
      signal.removeEventListener("abort", end);
      end();
    });
  });
}

/** @param issue OpenSSL's or Node's code, when it does not verify */
export function judgeCertificate(base: string, daysLeft: number, issue: string | undefined): Verdict {
  if (issue !== undefined) {
    return wrong(
      `${base}: browsers refuse the certificate (${issue}).`,
      issue === "CERT_HAS_EXPIRED"
        ? "Renew it, and find out why that did not happen by itself."
        : "Install a certificate for this host, with its chain, from an authority that browsers trust.",
    );
  }
  if (daysLeft < FEW_DAYS) {
    return warning(
      `${base}: the certificate ends in ${daysLeft} days.`,
      "Renew it, and see why the automatic renewal did not.",
    );
  }
  return ok(`${base}: the certificate is valid for ${daysLeft} more days.`);
}
