import { afterAll, expect, inject, it } from "vitest";
import { createRouteApp } from "../support/app/route-app";
import { repeated } from "../support/email/costly-markdown";

const app = createRouteApp(inject("stack"), { API_BEARER_TOKEN: "" });
afterAll(() => app.close());

const preview = async (description: string) => {
  const response = await app.fetch(`${app.apiBaseUrl}/api/preview-simple-email`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ to: "ada@example.com", title: "Hello", description }),
  });
  return { status: response.status, body: await response.json() };
};
const refusal = (message: string) => ({
  status: 400,
  body: expect.objectContaining({
    code: "invalid_request",
    issues: [{ path: "description", message: expect.stringContaining(message) }],
  }),
});

it("refuses a text that takes too long, and still renders others", async () => {
  const costly = Array.from({ length: 3 }, () => preview(repeated("*a_")));
  const { status, body } = await preview("An **ordinary** text");
  expect(status).toBe(200);
  expect(body.html).toContain("<strong>ordinary</strong>");
  for (const response of costly) expect(await response).toEqual(refusal("takes too long to render"));
});

it("refuses thousands of nested quotes", async () => {
  expect(await preview(`${"> ".repeat(2_000)}a`)).toEqual(refusal("makes the e-mail's HTML"));
});

it("is unavailable for a request whose time ends before a thread is free", async () => {
  const task = { markdown: repeated("*a_"), member: "description", templates: {} as never };
  const soon = { deadline: performance.now() + 200 };
  const rendering = [1, 2, 3].map(() => app.markdown.render(task, soon));
  for (const { reason } of (await Promise.allSettled(rendering)) as PromiseRejectedResult[])
    expect(reason).toMatchObject({ code: "unavailable", retryAfterSeconds: 5 });
});

it("is unavailable at once when 100 texts are rendered or wait", async () => {
  const task = { markdown: repeated("*a_"), member: "description", templates: {} as never };
  const soon = { deadline: performance.now() + 500 };
  let ended = 0;
  const rendering = Array.from({ length: 100 }, () =>
    app.markdown.render(task, soon).catch(() => {
      ended++;
    }),
  );
  const refused = { code: "unavailable", retryAfterSeconds: 5 };
  await expect(app.markdown.render(task, soon)).rejects.toMatchObject(refused);
  expect(ended).toBe(0);
  await Promise.all(rendering);
});

const words = "The new lamps are here, and the workshop opens again after the holidays. ";
const rich =
  "Hello **Ada**, your _order_ of [ten lamps](https://shop.example/o/1?a=1&b=2) is `ready`: see https://x.example :tada: or snake_case, 5 * 3! ";
it.each([
  ["one paragraph of plain words", repeated(words)],
  ["one paragraph with 140 of each mark", repeated(rich)],
  ["lines without a blank line between them", repeated(`${rich}\n`)],
  ["a list with marks", repeated(`- ${rich}\n`)],
  ["lists in lists", repeated(`- ${words}\n  - **${words.trim()}**\n    1. ${words}\n`)],
  ["headings and rules", repeated(`## The **news**\n\n${rich}\n\n---\n\n`).slice(0, 8_000)],
  [
    "one Japanese paragraph with many bold words",
    repeated(
      "新しいランプが届きました。**本日**より、_工房_も**開きます。**ご覧ください。お待ちしております。店は朝の九時から夕方の六時までです。",
    ),
  ],
])("renders the longest realistic e-mails: %s", async (_, description) => {
  expect((await preview(description)).status).toBe(200);
});
