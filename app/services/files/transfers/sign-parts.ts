import { MOST_PARTS_SIGNED } from "../storage-bounds";
import { StorageProblem } from "../storage-problem";
import type { SendTools, SliceTarget } from "./send-slice";

interface Wanted {
  number: number;
  /** base64 */
  checksum: string | null;
  resolve(target: SliceTarget): void;
  reject(error: unknown): void;
}

/** Signs parts of one upload: those that are asked for while a request is under way share the next. */
export function createPartSigner(handle: string, { client, timing }: SendTools, signal: AbortSignal) {
  let wanted: Wanted[] = [];
  let isAsking = false;

  const ask = async () => {
    isAsking = true;
    while (wanted.length > 0) {
      const batch = wanted.slice(0, MOST_PARTS_SIGNED);
      wanted = wanted.slice(MOST_PARTS_SIGNED);
      try {
        const parts = batch.map(({ number, checksum }) => ({ number, checksum: checksum ?? undefined }));
        const signed = await client.signParts(handle, parts, signal);
        const usableUntil = timing.now() + (signed.expiresAt - signed.serverTime) * 1000;
        batch.forEach((part, index) => {
          const target = signed.parts[index];
          if (target?.number === part.number) part.resolve({ ...target, usableUntil });
          else part.reject(new StorageProblem("failed"));
        });
      } catch (error) {
        for (const part of batch) part.reject(error);
      }
    }
    isAsking = false;
  };

  return (number: number, checksum: string | null): Promise<SliceTarget> =>
    new Promise((resolve, reject) => {
      wanted.push({ number, checksum, resolve, reject });
      if (!isAsking) void ask();
    });
}
