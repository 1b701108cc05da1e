import { expect, test } from "vitest";
import { MAX_CONCURRENT_REQUESTS, UploadConcurrency } from "./upload-concurrency";

/** Requests that take as long as `rate(concurrency)` bytes per second, shared by all, let them. */
class Network {
  time = 0;
  readonly concurrency = new UploadConcurrency(() => this.time);

  constructor(readonly rate: (concurrency: number) => number) {}

  send(seconds: number, size = 8e6): void {
    const end = this.time + seconds * 1000;
    while (this.time < end) {
      const { limit } = this.concurrency;
      this.time += (limit * size * 1000) / this.rate(limit);
      for (let request = 0; request < limit; request++) this.concurrency.onSuccess(size);
    }
  }
}

test("begins with three, and takes all six where each connection has its own rate", () => {
  const network = new Network((concurrency) => concurrency * 4e6);
  expect(network.concurrency.limit).toBe(3);
  network.send(4);
  expect(network.concurrency.limit).toBe(MAX_CONCURRENT_REQUESTS);
  network.send(60);
  expect(network.concurrency.limit).toBe(MAX_CONCURRENT_REQUESTS);
});

test("goes back to three where more make nothing faster, and tries again later", () => {
  const network = new Network(() => 10e6);
  while (network.concurrency.limit === 3) network.send(1);
  expect(network.concurrency.limit).toBe(6);
  while (network.concurrency.limit === 6) network.send(1);
  const since = network.time;
  while (network.time - since < 25_000) {
    expect(network.concurrency.limit).toBe(3);
    network.send(1);
  }
  while (network.concurrency.limit === 3) network.send(1);
  expect(network.time - since).toBeLessThan(40_000);
});

test("halves when the store asks for less, once for what fails together, and climbs back one by one", () => {
  const network = new Network((concurrency) => concurrency * 4e6);
  network.send(10);
  for (let request = 0; request < 6; request++) network.concurrency.onCongestion();
  expect(network.concurrency.limit).toBe(3);
  network.send(1);
  expect(network.concurrency.limit).toBe(4);
  network.send(20);
  expect(network.concurrency.limit).toBe(MAX_CONCURRENT_REQUESTS);
});

test("halves again when the trouble continues", () => {
  const network = new Network((concurrency) => concurrency * 4e6);
  network.send(10);
  network.concurrency.onCongestion();
  network.time += 1_000;
  network.concurrency.onCongestion();
  expect(network.concurrency.limit).toBe(1);
});

test("never stops altogether", () => {
  const network = new Network(() => 1e6);
  for (let round = 0; round < 10; round++) {
    network.time += 5_000;
    network.concurrency.onCongestion();
  }
  expect(network.concurrency.limit).toBe(1);
});

test("grants as many permits as the limit is, those that wait when one is released, and none to who gave up", async () => {
  const { concurrency } = new Network(() => 1e6);
  const { signal } = new AbortController();
  const releases = await Promise.all([1, 2, 3].map(() => concurrency.acquire(signal)));
  const gaveUp = new AbortController();
  const fourth = concurrency.acquire(gaveUp.signal);
  let isIn = false;
  const fifth = concurrency.acquire(signal).then((releaseFifth) => {
    isIn = true;
    return releaseFifth;
  });
  gaveUp.abort(new Error("enough"));
  await expect(fourth).rejects.toThrow("enough");
  expect(isIn).toBe(false);
  releases[0]?.();
  // Releasing twice frees no second permit.
  releases[0]?.();
  await fifth;
  await expect(
    Promise.race([concurrency.acquire(signal), new Promise((resolve) => setImmediate(resolve, "outside"))]),
  ).resolves.toBe("outside");
});
