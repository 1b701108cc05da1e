import { expect, it, vi } from "vitest";
import { retry } from "./retry";

const options = { firstPauseMs: 1, maxPauseMs: 4, shouldRetry: () => true };
const failing = (times: number) => {
  let left = times;
  return vi.fn(async () => {
    if (left-- > 0) throw new Error(`failure ${times - left}`);
    return "done";
  });
};

it("works again after temporary failures", async () => {
  const work = failing(4);
  expect(await retry(work, options)).toBe("done");
  expect(work).toHaveBeenCalledTimes(5);
});

it("throws the last failure when it will not pass, or the attempts are used up, or the time is over", async () => {
  const hopeless = failing(3);
  await expect(retry(hopeless, { ...options, shouldRetry: () => false })).rejects.toThrow("failure 1");
  const often = failing(9);
  await expect(retry(often, { ...options, retries: 2 })).rejects.toThrow("failure 3");
  const late = failing(9);
  await expect(retry(late, { ...options, deadline: performance.now() - 1 })).rejects.toThrow("failure 1");
  // Nobody waits for a pause that ends after the deadline.
  const far = { ...options, shouldRetry: () => 60_000, deadline: performance.now() + 1_000 };
  await expect(retry(failing(1), far)).rejects.toThrow("failure 1");
});
