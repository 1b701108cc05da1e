import type { NetworkFault } from "../../../tests/support/network/bad-network";
import type { History, Verdict } from "../drill";
import { failure, unless } from "./failure";

export type TransferOperation =
  | {
      what: "PUT";
      file: string;
      /** null: the whole file in one request */
      part: number | null;
      attempt: number;
      fault: NetworkFault | null;
    }
  | {
      what:
        | "store unreachable"
        | "store reachable"
        | "browser offline"
        | "browser online"
        | "browser killed"
        | "file chosen again"
        | "store stopped"
        | "store started";
    };

export interface TransfersFound {
  files: { name: string; size: number; sha256: string }[];
  /** SHA-256 of every object in the bucket, by its key */
  bucket: Record<string, string>;
  seconds: number;
  /** bytes of files that arrived at the store, with what was sent again */
  receivedBytes: number;
  tokensIssued: number;
  /** what the explorer shows of the uploads in the end */
  shown: string;
  /** if so many bytes are sent more than once, it is too much */
  maxBytesAgain?: number;
  /** so many tokens must have been issued, because they expire meanwhile */
  minTokens?: number;
  /** faults of which each must have happened */
  wantedFaults?: NetworkFault[];
  /** how often the browser must have been killed */
  wantedKills?: number;
}

/** Every file arrives unchanged, and nothing else does. */
export function checkTransfers({ operations, found }: History<TransferOperation, TransfersFound>): Verdict {
  const { files, bucket, shown, maxBytesAgain, minTokens, wantedFaults = [], wantedKills = 0 } = found;
  const kills = operations.filter(({ what }) => what === "browser killed").length;
  const intact = files.filter(({ name, sha256 }) => bucket[name] === sha256);
  const names = new Set(files.map(({ name }) => name));
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const again = found.receivedBytes - size;
  const count = (wanted: NetworkFault) =>
    operations.filter((operation) => operation.what === "PUT" && operation.fault === wanted).length;
  return {
    figures:
      `${intact.length} of ${files.length} intact after ${found.seconds} s, ${inMB(size)} MB and ${inMB(again)} MB sent again   ` +
      `${count("busy") + count("busy, wait")} x 503, ${count("reset")} broken, ${count("stall")} hung, ${count("lost")} lost, ${count("flipped")} flipped   ` +
      `${found.tokensIssued} tokens`,
    failures: [
      ...failure(
        files.filter((file) => !intact.includes(file)).map(({ name }) => name),
        `files did not arrive intact (the explorer shows: ${shown})`,
      ),
      ...failure(
        Object.keys(bucket).filter((key) => !names.has(key)),
        "objects are in the bucket that nobody uploaded",
      ),
      ...unless(maxBytesAgain === undefined || again <= maxBytesAgain, `${again} bytes were sent again`),
      ...unless(
        minTokens === undefined || found.tokensIssued >= minTokens,
        `only ${found.tokensIssued} tokens were issued, so too few expired`,
      ),
      ...failure(
        wantedFaults.filter((fault) => count(fault) === 0),
        "faults never happened",
      ),
      ...unless(kills === wantedKills, `the browser was killed ${kills} times instead of ${wantedKills}`),
    ],
  };
}

const inMB = (bytes: number) => Math.round(bytes / 1_000_000);
