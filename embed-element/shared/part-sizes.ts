/** The parts of multipart uploads and copies, in bytes. All but the last have the same size. */

export const MiB = 1024 ** 2;
/** S3 allows 10,000. */
const MAX_PARTS = 9_000;

interface MultipartSizes {
  size: number;
  partSize: number;
}

export function partSizeFor(size: number, minPartBytes: number): number {
  return Math.max(minPartBytes, Math.ceil(size / MAX_PARTS / MiB) * MiB);
}

export const partCountOf = ({ size, partSize }: MultipartSizes) => Math.ceil(size / partSize);

/** @param number from 1 */
export const bytesOfPart = ({ size, partSize }: MultipartSizes, number: number) =>
  Math.min(partSize, size - (number - 1) * partSize);

/** The stored parts that have all their bytes. */
export const completeParts = <Part extends { number: number; size: number }>(
  sizes: MultipartSizes,
  stored: readonly Part[],
) => stored.filter(({ number, size }) => size === bytesOfPart(sizes, number));

/** The numbers of the parts that are not stored, or not completely. */
export function missingParts(
  sizes: MultipartSizes,
  stored: readonly { number: number; size: number }[],
): number[] {
  const complete = new Set(completeParts(sizes, stored).map(({ number }) => number));
  const numbers = Array.from({ length: partCountOf(sizes) }, (_, index) => index + 1);
  return numbers.filter((number) => !complete.has(number));
}
