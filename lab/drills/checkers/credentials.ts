import type { CredentialFault } from "../../../tests/support/cloud/credential-endpoints";
import type { History, Verdict } from "../drill";
import { exactlyOnce, failure, unless } from "./failure";

export type CredentialOperation =
  | { what: "fault of the provider"; fault: CredentialFault }
  /** what the browser got */
  | { what: "refused"; from: "app" | "store"; status: number }
  | { what: "opened"; path: string }
  | { what: "not opened"; path: string; error: string }
  /** what the queue's log says */
  | { what: "not delivered at once"; line: string };

export interface CredentialsFound {
  renewals: number;
  wantedRenewals: number;
  /** faults of which each must have happened */
  wantedFaults: CredentialFault[];
  seconds: number;
  files: { name: string; isIntact: boolean }[];
  recipients: string[];
  /** the recipients of the e-mails that the provider accepted */
  accepted: string[];
  /** of the app */
  logLines: number;
  /** how many secrets, or pieces of them, the log has */
  secretsInLog: number;
  renewalsThatFailed: number;
  /** the first lines of the app's log that are warnings or errors */
  warnings: string[];
}

/**
 * Nobody notices that the keys end: no request is refused by the app, every file and e-mail arrives, and no secret is in the log. The store may
 * refuse a URL whose key has ended; the explorer signs it again.
 */
export function checkCredentials({
  operations,
  found,
}: History<CredentialOperation, CredentialsFound>): Verdict {
  const { renewals, wantedRenewals, wantedFaults, files, recipients, accepted, secretsInLog, warnings } =
    found;
  const refused = (from: "app" | "store") =>
    operations.flatMap((operation) =>
      operation.what === "refused" && operation.from === from ? [operation.status] : [],
    );
  const opened = operations.filter(({ what }) => what === "opened").length;
  return {
    figures:
      `${renewals} renewals in ${found.seconds} s, ${found.renewalsThatFailed} failed; ${opened} folders opened, ` +
      `${files.length} files, ${new Set(accepted).size} e-mails; ${refused("store").length} URLs had ended`,
    failures: [
      ...unless(renewals >= wantedRenewals, `the keys were renewed ${renewals} times only`),
      ...failure(
        wantedFaults.filter(
          (fault) =>
            !operations.some(
              (operation) => operation.what === "fault of the provider" && operation.fault === fault,
            ),
        ),
        "faults never happened",
      ),
      ...failure(refused("app"), `requests were refused by the app (its log: ${warnings.join(" ")})`),
      ...failure(
        refused("store").filter((status) => status >= 500),
        "requests failed in the store",
      ),
      ...unless(opened > 0, "no folder was opened"),
      ...failure(
        operations.flatMap((operation) =>
          operation.what === "not opened" ? [`${operation.path}: ${operation.error}`] : [],
        ),
        "folders were not opened",
      ),
      ...failure(
        files.filter(({ isIntact }) => !isIntact).map(({ name }) => name),
        "files did not arrive intact",
      ),
      ...failure(
        operations.flatMap((operation) =>
          operation.what === "not delivered at once" ? [operation.line] : [],
        ),
        `jobs of the campaign were refused (the app's log: ${warnings.join(" ")})`,
      ),
      ...exactlyOnce(recipients, accepted, {
        missing: "e-mails did not arrive",
        extra: "e-mails went to others",
        repeated: "e-mails arrived more than once",
      }),
      ...unless(found.logLines > 0, "the app printed nothing"),
      ...unless(secretsInLog === 0, `${secretsInLog} secrets are in the log`),
    ],
  };
}
