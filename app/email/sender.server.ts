import { AppError } from "../app-error";

/** Who our e-mail is from: what `EMAIL_FROM` says. */
export interface Sender {
  /** shown where the e-mail names no site */
  name: string | undefined;
  address: string;
}

/** @throws AppError `unavailable` where the deployment was not set up to send */
export function requireSender(sender: Sender | undefined): Sender {
  if (sender !== undefined) return sender;
  throw new AppError("unavailable", "This service is not set up to send e-mail.", {
    logDetail: "EMAIL_FROM is not set.",
  });
}
