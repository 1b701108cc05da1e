import { expect, test } from "../fixtures";
import { type Integrator, listening, pageWith, told } from "../integrator";

test.use({
  initialObjects: { "ada/hers.txt": "x", "bob/his.txt": "x", "both.txt": "x" },
  // The end of a session, and of a token.
  allowedConsole: [/the server responded with a status of 401/],
});

/** From now on, `name` is signed in. */
function signIn(integrator: Integrator, name: string, path = `/${name}`): void {
  integrator.respond = integrator.grant;
  integrator.asks = { visitor: { id: name }, scope: { path } };
}

test.beforeEach(({ integrator, stack }) => integrator.pages.set("/", pageWith(stack, listening)));

test("Whoever signs in after another visitor's session has ended sees their own files only", async ({
  integrator,
  openEmbed,
  page,
}) => {
  signIn(integrator, "ada");
  const frame = await openEmbed();
  await expect(frame.getByText("hers.txt")).toBeVisible();
  integrator.respond = (response) => integrator.json(response, 401, {});
  await page.evaluate(() =>
    document
      .querySelector("platform-embed")
      ?.refreshToken()
      .catch(() => {}),
  );
  await expect.poll(() => told(page, "session-expired")).toHaveLength(1);

  signIn(integrator, "bob");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(frame.getByText("his.txt")).toBeVisible();
  await expect(frame.getByText("hers.txt")).toHaveCount(0);
  await expect.poll(() => told(page, "ready")).toHaveLength(2);

  // The new frame is Bob's: his next token goes on in it.
  await page.evaluate(() => document.querySelector("platform-embed")?.refreshToken());
  await frame.getByRole("button", { name: "Refresh" }).click();
  await expect(frame.getByText("his.txt")).toBeVisible();
  expect(await told(page, "ready")).toHaveLength(2);
  expect(integrator.asked.map(({ reason }) => reason)).toEqual([
    "initial",
    "manual",
    "manual",
    "initial",
    "manual",
  ]);
  expect(await told(page, "error")).toEqual([]);
});

test("An upload that waits for a token is not sent with the one of another visitor", async ({
  integrator,
  openEmbed,
  page,
  stack,
}) => {
  signIn(integrator, "ada", "/");
  const frame = await openEmbed();
  await expect(frame.getByText("both.txt")).toBeVisible();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  integrator.respond = async (response, request) => {
    await released;
    await integrator.grant(response, request);
  };
  const operations = `${stack.platformBaseUrl}/api/embed/storage/**`;
  await page.route(operations, (route) => route.fulfill({ status: 401, json: { code: "token_expired" } }));
  const unsent = { name: "unsent.txt", mimeType: "text/plain", buffer: Buffer.from("x") };
  await frame.locator("input[type=file]").first().setInputFiles(unsent);
  await expect.poll(() => integrator.asked.length).toBe(2);
  await page.unroute(operations);

  integrator.asks = { visitor: { id: "bob" }, scope: { path: "/" } };
  release();
  await expect.poll(() => told(page, "ready")).toHaveLength(2);
  await expect(frame.getByText("both.txt")).toBeVisible();
  await expect(frame.getByText("unsent.txt")).toHaveCount(0);
  expect(await integrator.bucket.get("unsent.txt")).toBeNull();
  expect(await told(page, "upload-complete")).toEqual([]);
});
