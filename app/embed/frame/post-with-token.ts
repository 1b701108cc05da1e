import { MAX_BYTES_WITHOUT_TOKEN_HEADER } from "../../shared/embed-token-header";
import type { TokenSession } from "./token-session";

/** A response without success: the `code` and `error` of its body, as far as it has them. */
export interface FailedResponse {
  response: Response;
  code?: string;
  error?: string;
}

/**
 * Posts `body` with a valid token to an endpoint of the platform, again with another token if this one has expired or was revoked meanwhile. Once also if the
 * platform does not know its signature: an operator may have replaced a signing secret that had leaked.
 * @returns the response, or a failure that the platform answered
 * @throws TypeError if the platform could not be reached, the signal's reason, or the reason why there is no token
 */
export async function postWithToken(
  session: TokenSession,
  url: string,
  body: object,
  signal?: AbortSignal,
): Promise<Response | FailedResponse> {
  let wasUnknown = false;
  for (;;) {
    const token = await session.freshToken(signal);
    const text = JSON.stringify({ token, ...body });
    const isLarge = new Blob([text]).size > MAX_BYTES_WITHOUT_TOKEN_HEADER;
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(isLarge ? { Authorization: `Bearer ${token}` } : {}),
      },
      body: text,
      ...(signal ? { signal } : {}),
    });
    if (response.ok) return response;
    const { code, error }: Pick<FailedResponse, "code" | "error"> = await response.json().catch(() => ({}));
    const hasEnded = code === "token_expired" || code === "token_revoked";
    const isRenewable = hasEnded || (code === "invalid_token" && !wasUnknown);
    if (!isRenewable) return { response, ...(code && { code }), ...(error && { error }) };
    if (code === "invalid_token") wasUnknown = true;
    session.reportExpired(token);
  }
}
