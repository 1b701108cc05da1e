import { AppError } from "../app-error";
import type { Env } from "../env.server";

/** Who our e-mail is from: what `EMAIL_FROM` says. @throws AppError `unavailable` where the deployment was not set up to send */
export function requireSender(sender: Env["sender"]): NonNullable<Env["sender"]> {
  if (sender !== undefined) return sender;
  throw new AppError("unavailable", "This service is not set up to send e-mail.", {
    logDetail: "EMAIL_FROM is not set.",
  });
}
