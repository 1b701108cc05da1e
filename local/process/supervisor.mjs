/**
 * Runs one command for its parent process, and stops the command when the parent ends for any reason: even `kill -9` closes
 * the channel between the two. Plain JavaScript, so that it starts in a few milliseconds.
 *
 * The first message says what to run: { command, args, cwd, env, uid, gid, stopSignal, graceMs }. The second is "stop".
 */
import { spawn } from "node:child_process";

let child;
let spec;
let stopping = false;

/** The command has a process group of its own, so that its child processes get the signal as well. */
function signalGroup(signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended already.
  }
}

function stop() {
  if (stopping) return;
  stopping = true;
  if (!child || child.exitCode !== null || child.signalCode !== null) process.exit(0);
  // Only to the command itself: PostgreSQL stops its own child processes.
  child.kill(spec.stopSignal);
  setTimeout(() => signalGroup("SIGKILL"), spec.graceMs);
}

process.once("message", (message) => {
  spec = message;
  process.once("message", stop);
  child = spawn(spec.command, spec.args, {
    cwd: spec.cwd,
    env: spec.env,
    uid: spec.uid,
    gid: spec.gid,
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  child.once("error", (error) => {
    console.error(error.message);
    process.exit(127);
  });
  child.once("exit", (code) => {
    signalGroup("SIGKILL");
    process.exit(code ?? (stopping ? 0 : 1));
  });
});

process.once("disconnect", stop);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
