/** How `npm run dev` ends, by itself or from outside, and what keeps it from starting. */
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { dev, expectNothingRuns, npmRunDev, ports, postmaster, readInfo } from "../tests/support/app/dev";
import { findFreeOffset } from "../tests/support/app/stack";
import { query } from "../tests/support/databases/postgres";
import { isPortFree } from "./addresses";

/** Each starts a whole stack, some twice, milliseconds: a minute was too short where six others were building and testing beside it. */
const STARTS = 180_000;

describe("npm run dev", { timeout: STARTS }, () => {
  it("leaves nothing running after SIGHUP", async () => {
    const { child, up, ended } = dev();
    await up;
    const pid = await postmaster();
    child.kill("SIGHUP");
    expect((await ended).code).toBe(0);
    await expectNothingRuns(pid);
  });

  it("leaves nothing running after SIGTERM for npm, whose shell does not pass it on", async () => {
    const { child, up, ended } = npmRunDev();
    await up;
    const pid = await postmaster();
    child.kill("SIGTERM");
    await ended;
    await expectNothingRuns(pid);
  });

  it("gives up a start that is interrupted", async () => {
    const { child, ended } = dev();
    child.stdout?.once("data", () => child.kill("SIGINT"));
    expect((await ended).code).toBe(0);
    expect(await isPortFree(ports.postgres)).toBe(true);
  });

  it("names the part that crashed, and stops the others", async () => {
    const { up, ended } = dev();
    await up;
    const pid = await postmaster();
    process.kill(pid, "SIGKILL");
    const { code, output } = await ended;
    expect(code).toBe(1);
    expect(output).toContain("PostgreSQL ended by itself, so everything else is stopped.");
    await expectNothingRuns(pid);
  });

  it("says which port is taken, by whom it is needed and what to do", async () => {
    const squatter = createServer().listen(ports.mailbox, "127.0.0.1");
    await once(squatter, "listening");
    const { code, output } = await dev().ended;
    squatter.close();
    expect(code).toBe(1);
    expect(output).toContain(
      `Port ${ports.mailbox}, which the mailbox needs, is taken. Stop what listens there, or choose other ports with LOCAL_PORT_OFFSET=`,
    );
    expect(await isPortFree(ports.postgres)).toBe(true);
  });

  it("refuses to run twice on one folder, leaves the first alone, and leaves nothing running after SIGKILL", async () => {
    const first = dev();
    await first.up;
    const { code, output } = await dev([], { LOCAL_PORT_OFFSET: String(await findFreeOffset()) }).ended;
    expect(code).toBe(1);
    expect(output).toContain(`already running here (process ${first.child.pid})`);
    await query((await readInfo()).postgresUrl, "SELECT 1");

    const pid = await postmaster();
    first.child.kill("SIGKILL");
    expect((await first.ended).code).toBeNull();
    await expectNothingRuns(pid);
  });
});
