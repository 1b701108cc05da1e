/** A long way between two places: each connection has its own rate, and every byte takes its time. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface SlowLink {
  endpoint: string;
  close(): Promise<void>;
}

/** Bytes are handed on in pieces of so many milliseconds. */
const TICK = 10;

/** @param options milliseconds there and back; bytes per second of each connection, in each direction */
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

/** From one socket to the other, reading no more than the rate allows: what the link does not take stays with the sender. */
function carry(from: Socket, to: Socket, delayMs: number, bytesPerSecond: number): void {
  const most = (bytesPerSecond * TICK) / 1000;
  // What was saved up while nothing came is spent at once, as far as one piece goes.
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
  }, TICK);
  // Asks the socket for more than it has read already.
  from.on("readable", () => {});
  from.on("end", () => setTimeout(() => to.end(), delayMs));
  from.on("close", () => {
    clearInterval(timer);
    setTimeout(() => to.destroy(), delayMs * 2);
  });
}
