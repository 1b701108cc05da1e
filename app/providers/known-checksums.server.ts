import { type ChecksumAlgorithm, checksumAlgorithms } from "./checksums";

/** The most buckets of which it is remembered. */
const MOST_BUCKETS = 1_000;
/** milliseconds; a store may learn a checksum by an update */
const REMEMBERED_FOR = 3_600_000;

type Known = ChecksumAlgorithm | null;
/** Best first; null is none at all. */
const everyChecksum: readonly Known[] = [...checksumAlgorithms, null];

/** Which checksum each bucket's store takes, as far as this process has found out: a store that knows none is not asked for each upload. */
export class KnownChecksums {
  #known = new Map<string, { checksum: Known; until: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** What to ask the store for, one after the other, until it takes one. */
  toTry(bucket: string): readonly Known[] {
    const known = this.#known.get(bucket);
    if (known === undefined || known.until <= this.now()) return everyChecksum;
    return [known.checksum, ...everyChecksum.filter((checksum) => checksum !== known.checksum)];
  }

  remember(bucket: string, checksum: Known): void {
    this.#known.delete(bucket);
    this.#known.set(bucket, { checksum, until: this.now() + REMEMBERED_FOR });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_BUCKETS && oldest !== undefined) this.#known.delete(oldest);
  }
}
