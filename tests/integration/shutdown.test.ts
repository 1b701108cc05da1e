import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { inject, it } from "vitest";
import { startBuiltApp } from "../support/built-app";
import { Wire } from "../support/wire";

const stack = inject("stack");

/** Status and `Connection` of a GET over `agent`; an error's code where there is no response. */
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

    // Under way when the signal comes: it waits for a database that says nothing.
    wire.silence();
    const running = ask(`${app.apiBaseUrl}/readyz`, new Agent());
    const idle = new Agent({ keepAlive: true });
    await ask(`${app.apiBaseUrl}/healthz`, idle);

    const exited = app.signal("SIGTERM");
    // On a connection from before: answered once more, and told to go, as soon as the signal has come.
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
  // A body that never ends arriving keeps its request under way.
  const head = `POST /api/send-simple-email HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`;
  const socket = connect(Number(port), hostname, () => socket.write(head));
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  await ask(`${app.apiBaseUrl}/healthz`, new Agent());
  expect(await app.signal("SIGTERM")).toEqual({ code: 0, signal: null });
  expect(app.output()).toContain("Stopped before all requests had ended.");
  socket.destroy();
  await app.close();
});

it.concurrent("WEB_CONCURRENCY: several processes share the port, one that is killed is replaced, and SIGTERM ends all", async ({
  expect,
}) => {
  const app = await startBuiltApp(stack, { WEB_CONCURRENCY: "2", METRICS_TOKEN: "a-token-for-the-metrics" });
  let before: number[] = [];
  try {
    const workers = () => app.children();
    await expect.poll(() => workers().length).toBe(2);
    before = workers();
    for (let count = 0; count < 20; count++)
      expect((await fetch(`${app.apiBaseUrl}/healthz`)).status).toBe(200);

    const counted = async () => {
      const headers = { Authorization: "Bearer a-token-for-the-metrics" };
      const text = await (await fetch(`${app.apiBaseUrl}/metrics`, { headers })).text();
      const counts = text.matchAll(/http_requests_total\{address="\/healthz"[^}]*\} (\d+)/g);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    // A request counts once its response has been sent, which its caller may know a moment sooner.
    await expect.poll(counted).toBe(20);

    // A connection ends after a hundred requests, and whichever is free takes the next one.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ends: number[] = [];
    for (let count = 1; count <= 201; count++)
      if ((await ask(`${app.apiBaseUrl}/healthz`, agent)).connection === "close") ends.push(count);
    expect(ends).toEqual([100, 200]);
    agent.destroy();

    // Not while the hundredth's body is still on its way: its caller would not come to read the response.
    const sending = connect(Number(new URL(app.apiBaseUrl).port), "127.0.0.1").setEncoding("latin1");
    let answers = "";
    sending.on("data", (text) => {
      answers += text;
    });
    sending.write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(99));
    sending.write("POST /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\n\r\n{");
    await expect.poll(() => answers).toContain("There is nothing at this address.");
    sending.write("} GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    await expect.poll(() => answers.match(/HTTP\/1.1 200/g)?.length).toBe(100);
    expect(answers.match(/connection: close/gi)).toHaveLength(1);
    sending.destroy();

    // One that hangs gets no connection that the other could take.
    process.kill(before[0] ?? 0, "SIGSTOP");
    for (let count = 0; count < 20; count++)
      expect(await ask(`${app.apiBaseUrl}/healthz`, new Agent())).toMatchObject({ status: 200 });

    process.kill(before[0] ?? 0, "SIGKILL");
    await expect
      .poll(() => workers().filter((pid) => !before.includes(pid)).length, { timeout: 10_000 })
      .toBe(1);
    for (let count = 0; count < 20; count++)
      expect((await fetch(`${app.apiBaseUrl}/healthz`)).status).toBe(200);

    const running = workers();
    expect(await app.signal("SIGTERM")).toEqual({ code: 0, signal: null });
    for (const pid of running) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  } finally {
    // One that is suspended would not notice that the others have ended.
    for (const pid of before) if (isAlive(pid)) process.kill(pid, "SIGKILL");
    await app.close();
  }
});

it.concurrent("a process that hangs ends with the one that started it, and lets go of the port", async ({
  expect,
}) => {
  const hangs = `import("./app/http/heartbeat.server.ts").then(({ endWithParent }) => {
    endWithParent();
    console.log(process.pid);
    setTimeout(() => { for (;;); }, 500);
  })`;
  const starts = `require("node:child_process").spawn(process.execPath, ${JSON.stringify(["--import", "tsx", "-e", hangs])}, { stdio: "inherit" })`;
  const parent = spawn(process.execPath, ["-e", starts], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(parent.stdout.setEncoding("utf8"), "data")) as [string];
  const pid = Number(line);
  try {
    expect(isAlive(pid)).toBe(true);
    await sleep(1_500);
    expect(isAlive(pid)).toBe(true);
    parent.kill("SIGKILL");
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  } finally {
    parent.kill("SIGKILL");
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  }
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
