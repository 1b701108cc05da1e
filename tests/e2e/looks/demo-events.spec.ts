import { freshName } from "../../support/databases/cluster-databases";
import { expect, test } from "../fixtures";

test("The demo's staff see what a customer does, and Northwind's server is told, also what happened while it was down", async ({
  page,
  stack,
  context,
}) => {
  const messages = await context.newPage();
  await messages.goto(`${stack.demoUrl}/webhooks`);
  const list = messages.getByRole("list", { name: "Verified messages" });
  const downBox = messages.getByRole("checkbox", { name: /server is down/ });
  await expect(downBox).toBeEnabled();

  await page.goto(stack.demoUrl);
  // A click before the frame's scripts run does nothing.
  await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
  const frame = page.frameLocator("platform-embed iframe");
  const createFolder = async () => {
    const name = freshName();
    // A page behind another one draws nothing.
    await page.bringToFront();
    await frame.getByRole("button", { name: "New folder" }).click();
    await frame.getByRole("textbox", { name: "Name" }).fill(name);
    await page.keyboard.press("Enter");
    await expect(frame.getByRole("row", { name })).toBeVisible();
    return name;
  };
  const first = await createFolder();
  await expect(list).toContainText(first);
  await expect(list).toContainText('"name": "Mara Lindqvist"');

  await downBox.check();
  const second = await createFolder();
  const activity = await context.newPage();
  await activity.goto(`${stack.demoUrl}/activity`);
  const events = activity.frameLocator("platform-embed iframe").getByRole("main");
  await expect(events).toContainText(first);
  await expect(events).toContainText(second);
  await expect(list).not.toContainText(second);

  await downBox.uncheck();
  // The second attempt follows after 5 seconds.
  await expect(list).toContainText(second, { timeout: 15_000 });
});
