import type { Digest } from "../../../../embed-element/shared/read-blob";

/** In WebAssembly, which the page's policy allows in workers only. Without it there is no MD5. */
export async function startMd5(): Promise<Digest> {
  try {
    const { createMD5 } = await import("./md5.client");
    const md5 = await createMD5();
    return {
      update: (bytes) => void md5.update(bytes),
      end: () => ({ checksum: null, md5: btoa(String.fromCharCode(...md5.digest("binary"))) }),
    };
  } catch {
    return { update() {}, end: () => ({ checksum: null, md5: null }) };
  }
}
