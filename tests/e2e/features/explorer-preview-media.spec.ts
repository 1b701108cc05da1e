import type { Page } from "@playwright/test";
import { expect, test } from "../explorer-support";
import { wav } from "../sample-files";

/** Silence of a minute: 480 kB. */
const sound = wav(60);

test("audio is played from the store with range requests, and stops when the preview closes", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.wav", sound, "audio/wav");
  await integrator.bucket.put("b.txt", "the next file", "text/plain");
  const { frame, row } = await openExplorer();
  const ranged = page.waitForRequest(
    (request) => request.url().includes("a.wav") && request.headers().range !== undefined,
  );
  await row("a.wav").dblclick();
  await ranged;
  const audio = frame.locator("audio");
  await expect.poll(() => audio.evaluate((media: HTMLMediaElement) => media.duration)).toBe(60);
  await audio.evaluate((media: HTMLMediaElement) => {
    media.muted = true;
    return media.play();
  });
  await expect.poll(() => audio.evaluate((media: HTMLMediaElement) => media.currentTime)).toBeGreaterThan(0);
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByText("the next file")).toBeVisible();
  await expect(audio).toHaveCount(0);
});

test("a video is played from the store with range requests", async ({
  integrator,
  openExplorer,
  page,
  stack,
}) => {
  const { film, type } = await filmOf(page);
  await integrator.bucket.put("film.webm", film, type);
  const { frame, row } = await openExplorer();
  const ranged = page.waitForRequest(
    (request) =>
      request.url().startsWith(stack.objectStore.endpoint) &&
      request.url().includes("film.webm") &&
      request.headers().range !== undefined,
  );
  await row("film.webm").dblclick();
  await ranged;
  const video = frame.locator("video");
  await video.evaluate((media: HTMLVideoElement) => {
    media.muted = true;
    return media.play();
  });
  await expect
    .poll(() => video.evaluate((media: HTMLVideoElement) => media.currentTime))
    .toBeGreaterThan(0.2);
  expect(await video.evaluate((media: HTMLVideoElement) => media.videoWidth)).toBe(64);
});

/** A film of a second or so that the browser itself has made: no program for it has to be installed, and it knows the format. */
async function filmOf(page: Page): Promise<{ film: Buffer; type: string }> {
  const made = await page.evaluate(async () => {
    const canvas = document.createElement("canvas");
    canvas.width = 64;
    canvas.height = 48;
    const context = canvas.getContext("2d");
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: "video/webm" });
    const parts: Blob[] = [];
    recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
    const ended = new Promise((resolve) => recorder.addEventListener("stop", resolve));
    recorder.start();
    for (let frame = 0; frame < 30; frame++) {
      if (context) context.fillStyle = `hsl(${frame * 12} 80% 50%)`;
      context?.fillRect(0, 0, 64, 48);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    recorder.stop();
    await ended;
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return [...bytes];
  });
  return { film: Buffer.from(made), type: "video/webm" };
}

test.describe("a URL that expires during playback", () => {
  test.use({ allowedConsole: [/Failed to load resource: the server responded with a status of 403/] });

  test("is replaced, and playback continues at the same position", async ({
    integrator,
    openExplorer,
    page,
    stack,
  }) => {
    // The first URL gives a third: far more than a browser needs to begin. What is asked of it beyond that waits until the test has
    // the URL run out, so that it does not matter how far ahead the browser reads.
    const long = wav(1_200);
    const given = 3_200_000;
    await integrator.bucket.put("a.wav", long, "audio/wav");
    // Counted where they are signed: two of one second are the same.
    let urls = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/presign-download")) urls++;
    });
    let runOut = () => {};
    let isOver = false;
    const hasRunOut = new Promise<void>((resolve) => {
      runOut = resolve;
    });
    await page.route(`${stack.objectStore.endpoint}/**/a.wav?*`, async (route) => {
      if (isOver) return route.continue();
      const from = Number(/bytes=(\d+)/.exec(route.request().headers().range ?? "")?.[1] ?? 0);
      if (from >= given) {
        await hasRunOut;
        isOver = true;
        return route.fulfill({ status: 403, body: "<Error/>" });
      }
      return route.fulfill({
        status: 206,
        contentType: "audio/wav",
        headers: {
          "Accept-Ranges": "bytes",
          "Content-Range": `bytes ${from}-${given - 1}/${long.length}`,
        },
        body: long.subarray(from, given),
      });
    });
    const { frame, row } = await openExplorer();
    await row("a.wav").dblclick();
    const audio = frame.locator("audio");
    const read = <Value>(look: (media: HTMLMediaElement) => Value) =>
      audio.evaluate(look as (element: Element) => Value);
    await expect.poll(() => read((media) => media.duration)).toBe(1_200);
    await read((media) => {
      media.currentTime = 1_000;
    });
    expect(urls).toBe(1);
    runOut();
    await expect.poll(() => urls, "a second URL").toBe(2);
    await expect.poll(() => read((media) => media.readyState)).toBeGreaterThanOrEqual(2);
    expect(await read((media) => media.currentTime)).toBeCloseTo(1_000, 0);
    expect(await read((media) => media.error)).toBeNull();
  });
});

test("a playlist by the name of a film loads nothing, in its preview and as a tile", async ({
  integrator,
  openExplorer,
  page,
  stack,
}) => {
  const place = `${stack.objectStore.endpoint}/elsewhere/part.ts`;
  const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\n${place}\n#EXT-X-ENDLIST\n`;
  await integrator.bucket.put("film.mp4", playlist, "video/mp4");
  await integrator.bucket.put("song.mp3", `\ufeff\n${playlist}`, "audio/mpeg");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const { frame, row } = await openExplorer();
  await row("film.mp4").dblclick();
  await expect(frame.getByText("its content is M3U")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByRole("heading", { name: "song.mp3" })).toBeVisible();
  await expect(frame.getByText("its content is M3U")).toBeVisible();
  await page.keyboard.press("Escape");
  const read = page.waitForResponse((response) => response.url().includes("film.mp4"));
  await frame.getByRole("button", { name: "Tiles" }).click();
  await read;
  await expect(frame.getByRole("gridcell", { name: "film.mp4" }).locator("svg.file-icon")).toBeVisible();
  expect(asked.filter((url) => url.includes("elsewhere"))).toEqual([]);
});

test.describe("a file that is not a video", () => {
  test.use({ allowedConsole: [/Failed to load resource/] });

  test("is reported as not playable", async ({ integrator, openExplorer }) => {
    await integrator.bucket.put("film.mp4", "not a film at all", "video/mp4");
    const { frame, row } = await openExplorer();
    await row("film.mp4").dblclick();
    await expect(frame.getByText(/This browser cannot play it/)).toBeVisible();
  });
});
