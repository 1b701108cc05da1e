/** A proxy with latency and a rate limit for each connection. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface SlowLink {
  endpoint: string;
  close(): Promise<void>;
}

/** Interval between two forwarded chunks, milliseconds. */
const TICK_MS = 10;

/** @param options round trip in milliseconds; bytes per second of each connection in each direction */
export async function startSlowLink(
  target: string,
  { roundTripMs, bytesPerSecond }: { roundTripMs: number; bytesPerSecond: number },
): Promise<SlowLink> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    carry(near, far, roundTripMs / 2, bytesPerSecond);
    carry(far, near, roundTripMs / 2, bytesPerSecond);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Forwards bytes from one socket to the other. It reads no faster than the rate, so that the sender feels the backpressure. */
function carry(from: Socket, to: Socket, delayMs: number, bytesPerSecond: number): void {
  const most = (bytesPerSecond * TICK_MS) / 1000;
  // Unused rate accumulates for at most four intervals.
  let allowance = most;
  let last = performance.now();
  from.pause();
  const timer = setInterval(() => {
    const now = performance.now();
    allowance = Math.min(allowance + ((now - last) * bytesPerSecond) / 1000, most * 4);
    last = now;
    while (allowance > 0) {
      const piece: Buffer | null = from.read(Math.min(Math.ceil(allowance), from.readableLength)) ?? null;
      if (piece === null || piece.length === 0) break;
      allowance -= piece.length;
      setTimeout(() => to.writable && to.write(piece), delayMs);
    }
  }, TICK_MS);
  // This listener makes the socket read on.
  from.on("readable", () => {});
  from.on("end", () => setTimeout(() => to.end(), delayMs));
  from.on("close", () => {
    clearInterval(timer);
    setTimeout(() => to.destroy(), delayMs * 2);
  });
}
