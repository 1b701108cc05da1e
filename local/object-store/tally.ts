import { createHash } from "node:crypto";
import { type ChecksumAlgorithm, startDigest } from "./checksums";

/** What was found while bytes went by. */
export interface Received {
  /** bytes */
  size: number;
  /** hex */
  md5: string;
  checksum?: { algorithm: ChecksumAlgorithm /** base64 */; value: string };
}

/** Counts bytes and works out their MD5, and a checksum where one is wanted. */
export class Tally {
  size = 0;
  private readonly md5 = createHash("md5");
  private readonly digest;

  constructor(private readonly algorithm?: ChecksumAlgorithm) {
    this.digest = algorithm && startDigest(algorithm);
  }

  update(chunk: Uint8Array): void {
    this.size += chunk.length;
    this.md5.update(chunk);
    this.digest?.update(chunk);
  }

  /** At most once. */
  finish(): Received {
    return {
      size: this.size,
      md5: this.md5.digest("hex"),
      ...(this.algorithm &&
        this.digest && {
          checksum: { algorithm: this.algorithm, value: this.digest.digest().toString("base64") },
        }),
    };
  }
}
