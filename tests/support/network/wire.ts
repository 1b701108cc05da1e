/** A proxy that stands for the network to a provider. It can be cut (refuses connections), silenced (drops bytes) and repaired. */
import { connect, createServer, type Server, type Socket } from "node:net";

export class Wire {
  port = 0;
  #server: Server | undefined;
  #sockets = new Set<Socket>();
  #isSilent = false;
  #isHeld = false;

  constructor(
    readonly targetPort: number,
    readonly targetHost = "127.0.0.1",
  ) {}

  /** Opens a working wire to `url`. */
  static async to(url: string): Promise<Wire> {
    const { port, hostname } = new URL(url);
    const wire = new Wire(Number(port), hostname);
    await wire.restore();
    return wire;
  }

  /** `url` over this wire */
  over(url: string): string {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${this.port}`;
    return changed.href.replace(/\/$/, "");
  }

  /**
   * New connections work from now on. Connections from the time of silence stay dead, as if a firewall had dropped their state.
   */
  async restore(): Promise<void> {
    this.#isSilent = false;
    this.#isHeld = false;
    for (const socket of this.#sockets) socket.resume();
    if (this.#server !== undefined) return;
    const server = createServer((from) => this.#join(from));
    await new Promise<void>((resolve) => server.listen(this.port, "127.0.0.1", resolve));
    this.#server = server;
    const address = server.address();
    if (typeof address === "object" && address !== null) this.port = address.port;
  }

  /** Accepts connections from now on, but forwards no bytes in either direction. */
  silence(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.removeAllListeners("data");
      socket.resume();
    }
  }

  /** Holds back all bytes in both directions until the wire is repaired, as a hanging provider does. */
  hold(): void {
    this.#isHeld = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Refuses new connections and breaks the open ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** number of open connections */
  get open(): number {
    return this.#sockets.size;
  }

  #join(from: Socket): void {
    if (this.#isSilent) {
      this.#watch(from);
      from.resume();
      return;
    }
    const to = connect(this.targetPort, this.targetHost);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      this.#watch(one);
      one.pipe(other);
      one.on("close", () => other.destroy());
      if (this.#isHeld) one.pause();
    }
  }

  #watch(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#sockets.delete(socket));
  }
}
