/** The first `limit` bytes of a response's body, and whether there are more. The rest is not transferred. */
export async function readBeginning(
  { body }: Response,
  limit: number,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; cut: boolean }> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (length <= limit) {
    const next = await reader?.read();
    if (next?.value === undefined) break;
    chunks.push(next.value);
    length += next.value.length;
  }
  const cut = length > limit;
  if (cut) await reader?.cancel();
  const bytes = new Uint8Array(Math.min(length, limit));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, bytes.length - at), at);
    at += chunk.length;
  }
  return { bytes, cut };
}
