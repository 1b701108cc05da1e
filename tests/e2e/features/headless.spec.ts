import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { deploymentEnv } from "../../support/app/deployment";
import { makeEmbedClient } from "../../support/app/embed-client";
import { runProcess } from "../../support/app/run-command";
import { openBucket } from "../../support/files/bucket";
import { findFreePort } from "../../support/machine/free-port";
import { sendRaw } from "../../support/network/raw-http";
import { expect, test } from "../fixtures";

/** examples/headless: a file browser of an integrator's own, on an origin of its own. */
const example = fileURLToPath(new URL("../../../examples/headless/server.mjs", import.meta.url));

// The store's 409 for a taken name.
test.use({ allowedConsole: [/\b409\b/] });

test("a page of an integrator's own lists, uploads, renames, deletes and undoes with the engine", async ({
  page,
  stack,
}) => {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const { apiKey, bucket: name } = await makeEmbedClient(stack, {
    origins: [origin],
    bucket: "demo-files",
    files: { actions: ["download", "upload", "organize", "delete"] },
  });
  const env = deploymentEnv(stack, stack.postgresUrl);
  const cors = await runProcess("storage-cors", ["--bucket", name], env);
  expect(cors.code, cors.stderr).toBe(0);
  const bucket = openBucket(stack.objectStore, name);
  const folder = `Contracts/headless-${port}`;
  await bucket.put(`${folder}/plan.txt`, "the plan");
  await bucket.put(`${folder}/notes.txt`, "some notes");
  const server = spawn(process.execPath, [example], {
    env: { ...process.env, EMBED_API_BASE_URL: stack.apiBaseUrl, EMBED_API_KEY: apiKey, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(server.stdout, "data");
    // A site whose name leads to this machine gets no token.
    const askAs = (host: string) =>
      sendRaw(origin, `POST /embed-url HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`);
    expect((await askAs(`evil.example:${port}`)).status).toBe(403);
    expect((await askAs(`127.0.0.1:${port}`)).status).toBe(200);

    await page.goto(origin);
    const row = (text: string) => page.getByRole("listitem").filter({ hasText: text });
    await page.getByRole("button", { name: `headless-${port}/` }).click();
    await expect(page.getByRole("heading", { name: `/${folder}` })).toBeVisible();
    await expect(row("plan.txt")).toContainText("8 bytes");

    const bytes = randomBytes(100_000);
    const choose = (name: string) =>
      page
        .getByLabel("Upload", { exact: true })
        .setInputFiles({ name, mimeType: "image/png", buffer: bytes });
    await choose("photo.png");
    await expect(row("photo.png: done").getByRole("progressbar")).toHaveAttribute("value", "100000");
    await expect(row("photo.png").filter({ hasText: "100000 bytes" })).toBeVisible();
    expect((await bucket.get(`${folder}/photo.png`))?.equals(bytes)).toBe(true);
    // A taken name is a question, which is state, too.
    await choose("notes.txt");
    await page.getByRole("button", { name: "keep-both" }).click();
    await expect(row("notes (1).txt").filter({ hasText: "100000 bytes" })).toBeVisible();
    expect(String(await bucket.get(`${folder}/notes.txt`))).toBe("some notes");

    page.once("dialog", (dialog) => dialog.accept("contract.txt"));
    await page.getByRole("button", { name: "Rename plan.txt" }).click();
    await expect(row("contract.txt")).toBeVisible();
    await expect(row("plan.txt")).toHaveCount(0);
    await expect(page.getByRole("status")).toHaveText("rename: 1 done");
    expect(String(await bucket.get(`${folder}/contract.txt`))).toBe("the plan");

    await page.getByRole("button", { name: "Undo" }).click();
    await expect(row("plan.txt")).toBeVisible();
    await expect(row("contract.txt")).toHaveCount(0);

    page.once("dialog", (dialog) => dialog.accept("notes.txt"));
    await page.getByRole("button", { name: "Rename plan.txt" }).click();
    await expect(page.getByRole("status")).toContainText("rename failed");
    await expect(row("plan.txt")).toBeVisible();

    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "notes.txt", exact: true }).click();
    expect((await downloading).suggestedFilename()).toBe("notes.txt");

    // As of a bucket without versions. The engine asks first, which is state that the page draws.
    await page.route("**/api/embed/storage/delete", async (route) => {
      const response = await route.fetch();
      if (!route.request().postDataJSON().check) return route.fulfill({ response });
      return route.fulfill({ response, json: { ...(await response.json()), undoable: false } });
    });
    await page.getByRole("button", { name: "Delete notes.txt" }).click();
    await expect(page.getByText("Nothing can bring these files back.")).toBeVisible();
    await page.getByRole("button", { name: "delete", exact: true }).click();
    await expect(row("notes.txt")).toHaveCount(0);
    await expect(page.getByRole("status")).toHaveText("delete: 1 done");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(row("notes.txt")).toBeVisible();
    await page.getByRole("button", { name: "Up", exact: true }).click();
    await expect(page.getByRole("heading", { name: "/Contracts", exact: true })).toBeVisible();
  } finally {
    server.kill();
  }
});
