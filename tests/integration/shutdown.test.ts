import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import { inject, it } from "vitest";
import { startBuiltApp } from "../support/app/built-app";
import { Wire } from "../support/network/wire";

const stack = inject("stack");

/** Returns the status and the `Connection` header of a GET over `agent`, or the error's code if there is no response. */
function ask(
  url: string,
  agent: Agent,
): Promise<{ status?: number | undefined; connection?: string | undefined; error?: string }> {
  return new Promise((resolve) => {
    get(url, { agent }, (response) => {
      response.resume();
      response.on("end", () =>
        resolve({ status: response.statusCode, connection: response.headers.connection }),
      );
    }).on("error", (error: NodeJS.ErrnoException) => resolve({ error: error.code ?? error.message }));
  });
}

it.concurrent("SIGTERM: a running request ends, keep-alive and silent clients do not hold the process up", async ({
  expect,
}) => {
  const wire = await Wire.to(stack.postgresUrl);
  const app = await startBuiltApp(stack, {
    POSTGRES_URL: wire.over(stack.postgresUrl),
    // Killed or cut off by the tests, it must not hold jobs of others.
    WORKER: "separate",
    SHUTDOWN_SECONDS: "8",
  });
  const silent: Socket[] = [];
  try {
    const { hostname, port } = new URL(app.apiBaseUrl);
    for (const bytes of ["", "GET /healthz HTTP/1.1\r\n"]) {
      const socket = connect(Number(port), hostname, () => bytes && socket.write(bytes));
      socket.on("error", () => {});
      silent.push(socket);
    }
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await ask(`${app.apiBaseUrl}/healthz`, agent)).toMatchObject({
      status: 200,
      connection: "keep-alive",
    });

    // Still running when the signal arrives: it waits for a database that does not respond.
    wire.silence();
    const running = ask(`${app.apiBaseUrl}/readyz`, new Agent());
    const idle = new Agent({ keepAlive: true });
    await ask(`${app.apiBaseUrl}/healthz`, idle);

    const exited = app.signal("SIGTERM");
    // A connection from before the signal serves one more request. Its response closes the connection.
    await expect
      .poll(() => ask(`${app.apiBaseUrl}/healthz`, agent))
      .toMatchObject({ status: 200, connection: "close" });
    expect(await ask(`${app.apiBaseUrl}/healthz`, agent)).toEqual({ error: "ECONNREFUSED" });
    expect((await running).status).toBe(503);
    expect(await exited).toEqual({ code: 0, signal: null });
  } finally {
    for (const socket of silent) socket.destroy();
    await app.close();
    await wire.cut();
  }
});

it.concurrent("SIGTERM: the process is gone after SHUTDOWN_SECONDS, whatever a request still waits for", async ({
  expect,
}) => {
  const app = await startBuiltApp(stack, { SHUTDOWN_SECONDS: "1" });
  const { hostname, port, host } = new URL(app.apiBaseUrl);
  // The request keeps running because its body does not arrive.
  const head = `POST /api/send-simple-email HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`;
  const socket = connect(Number(port), hostname, () => socket.write(head));
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  await ask(`${app.apiBaseUrl}/healthz`, new Agent());
  expect(await app.signal("SIGTERM")).toEqual({ code: 0, signal: null });
  expect(app.output()).toContain("Stopped before all requests had ended: 1 ");
  socket.destroy();
  await app.close();
});
