/** A Ceph RADOS Gateway with one monitor and one storage daemon, from Debian's packages. It keeps its data in memory. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { StackInfo } from "../../../local/stack-info";
import { makeTestFolder } from "../databases/postgres";
import { findFreePort } from "../machine/free-port";
import { works } from "../machine/installed";

/**
 * Without it, a program asks the monitor for its configuration before it starts, forgets the id of the cluster that `monmap` has told it, and may
 * be refused with "wrong fsid".
 */
const env = { ...process.env, CEPH_ARGS: "--no-mon-config" };
/** Ends the program if it waits for a daemon that has ended. */
const run = (program: string, words: string[]) =>
  promisify(execFile)(program, words, { env, timeout: 30_000, killSignal: "SIGKILL" });

export const CEPH_PACKAGES = "ceph-mon ceph-osd radosgw ceph-common";

export const hasCeph = (): boolean =>
  ["ceph-mon", "ceph-osd", "radosgw", "ceph"].every((program) => works(program, "--version"));

export interface TestCeph {
  /** without a bucket */
  objectStore: Omit<StackInfo["objectStore"], "bucket">;
  stop(): Promise<void>;
}

/**
 * @param dnsName the host that buckets are subdomains of, for URLs in virtual-hosted style
 * @throws if a daemon ends while it starts, with its output
 */
export async function startCeph(dnsName: string): Promise<TestCeph> {
  const folder = await makeTestFolder();
  const [monitorPort, port] = [await findFreePort(), await findFreePort()];
  const objectStore = {
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    accessKeyId: "CEPHTESTKEY000000001",
    secretAccessKey: "cephTestSecret00000000000000000000000001",
  };
  const fsid = randomUUID();
  const monmap = join(folder, "monmap");
  const config = join(folder, "ceph.conf");
  await Promise.all(["mon", "osd", "rgw"].map((name) => mkdir(join(folder, name))));
  await writeFile(config, configuration({ folder, fsid, monmap, port, dnsName }));
  const daemons: ChildProcess[] = [];
  const start = (program: string, ...words: string[]) => {
    const daemon = spawn(program, ["-f", "-c", config, ...words], {
      stdio: ["ignore", "ignore", "pipe"],
      env,
    });
    daemons.push(daemon);
    let output = "";
    daemon.stderr?.on("data", (text) => {
      output += text;
    });
    const ended = once(daemon, "exit").then(() => {
      throw new Error(`${program} ended. Its output:\n${output}`);
    });
    ended.catch(() => {});
    return ended;
  };
  const stop = async () => {
    for (const daemon of daemons.reverse()) {
      if (daemon.exitCode !== null || daemon.signalCode !== null) continue;
      const ended = once(daemon, "exit");
      // Nothing that they keep is needed again.
      daemon.kill("SIGKILL");
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await run("monmaptool", [
      "--create",
      "--fsid",
      fsid,
      "--addv",
      "a",
      `[v1:127.0.0.1:${monitorPort}]`,
      monmap,
    ]);
    await run("ceph-mon", ["-c", config, "--mkfs", "-i", "a", "--monmap", monmap]);
    const monitor = start("ceph-mon", "-i", "a");
    await Promise.race([untilTaken("ceph", ["-c", config, "osd", "new", fsid]), monitor]);
    await run("ceph-osd", ["-c", config, "-i", "0", "--mkfs", "--osd-uuid", fsid]);
    const storage = start("ceph-osd", "-i", "0");
    const { accessKeyId, secretAccessKey } = objectStore;
    const user = [
      "--uid",
      "tests",
      "--display-name",
      "Tests",
      "--access-key",
      accessKeyId,
      "--secret",
      secretAccessKey,
    ];
    await Promise.race([run("radosgw-admin", ["-c", config, "user", "create", ...user]), storage]);
    const gateway = start("radosgw", "-n", "client.rgw");
    await Promise.race([untilReady(objectStore.endpoint), gateway]);
    return { objectStore, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const MAX_REFUSALS = 20;

/** Runs a command that may be repeated. On a busy machine, the monitor refuses commands (EPERM) for some time after it has begun to listen. */
async function untilTaken(program: string, words: string[]): Promise<void> {
  for (let refusals = 0; ; refusals++) {
    try {
      await run(program, words);
      return;
    } catch (error) {
      if (refusals === MAX_REFUSALS) throw error;
      await sleep(250);
    }
  }
}

async function untilReady(endpoint: string): Promise<void> {
  while (
    !(await fetch(endpoint).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(50);
}

/** For one copy of each object and no authentication between the daemons. */
const configuration = (given: {
  folder: string;
  fsid: string;
  monmap: string;
  port: number;
  dnsName: string;
}) => `
[global]
fsid = ${given.fsid}
monmap = ${given.monmap}
ms_bind_msgr2 = false
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
run_dir = ${given.folder}
admin_socket =
log_file =
crash_dir = ${given.folder}
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
[mon]
mon_data = ${given.folder}/mon
mon_data_avail_crit = 1
paxos_propose_interval = 0.05
[osd]
osd_data = ${given.folder}/osd
osd_objectstore = memstore
osd_class_load_list = *
osd_class_default_list = *
[client]
rgw_data = ${given.folder}/rgw
rgw_frontends = beast endpoint=127.0.0.1:${given.port}
rgw_dns_name = ${given.dnsName}
rgw_rados_pool_pg_num_min = 1
rgw_thread_pool_size = 16
`;
