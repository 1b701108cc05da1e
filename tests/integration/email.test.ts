import { describe, expect, inject, it } from "vitest";
import { readMailbox } from "../support/email/mailbox";

const stack = inject("stack");
/** A unique address, so that tests do not read each other's mail. */
const someAddress = (domain = "example.com") => `${crypto.randomUUID()}@${domain}`;

const postSimple = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${stack.apiBaseUrl}/api/send-simple-email`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

describe("POST /api/send-simple-email", () => {
  it("sends HTML and text that an independent parser reads correctly", async () => {
    const to = someAddress();
    const answer = await postSimple({
      to,
      title: "Grüße, Ada 🎉",
      description:
        "Hi **Ada**,\nall is :rocket: _ready_.\n\n1. one\n2. two\n\n- [portal](https://x.example/?a=1&b=2)",
      theme: "stone",
      siteName: "Café, Inc.",
      logoUrl: "https://x.example/logo.png",
      pdf: ["https://x.example/terms.pdf"],
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    const [mail, ...more] = await readMailbox(stack.mailboxUrl, to);
    expect(more).toEqual([]);
    expect(await answer.json()).toEqual({ success: true, results: [{ to, messageId: mail?.sesMessageId }] });
    expect(mail?.subject).toBe("Grüße, Ada 🎉");
    expect(mail?.from?.value).toEqual([{ name: "Café, Inc.", address: "no-reply@platform.example" }]);
    expect(mail?.text?.trim()).toBe(
      "Grüße, Ada 🎉\n\nHi Ada,\nall is 🚀 ready.\n\n1. one\n2. two\n\n- portal (https://x.example/?a=1&b=2)\n\n" +
        "Document:\n- terms.pdf (PDF): https://x.example/terms.pdf\n\nSent by Café, Inc.",
    );
    const html = String(mail?.html);
    expect(html).toContain("<strong>Ada</strong>,<br>all is 🚀 <em>ready</em>.");
    expect(html).toContain("#78716c");
    expect(html).toContain('href="https://x.example/terms.pdf"');
    expect(mail?.attachments).toEqual([]);
  });

  it("sends one message to each recipient, who does not see the others", async () => {
    const to = [someAddress(), someAddress("bücher.example")];
    const answer = await postSimple({ to, title: "Hello", description: "Text" });
    const { results } = await answer.json();
    expect(results.map((result: { to: string }) => result.to)).toEqual(to);
    for (const address of to) {
      const sent = address.replace("bücher.example", "xn--bcher-kva.example");
      // The mailbox finds it by the encoded domain; the parser decodes the domain to Unicode.
      const mails = await readMailbox(stack.mailboxUrl, sent);
      expect(mails.map((mail) => [mail.to ?? []].flat().map(({ text }) => text))).toEqual([[address]]);
    }
  });

  it("is sent to an address with dots in a row or before the @, which is in quotes", async () => {
    const to = `taro..${crypto.randomUUID()}.@docomo.example`;
    const answer = await postSimple({ to: [to, to.toUpperCase()], title: "Hello", description: "Text" });
    expect(await answer.json()).toMatchObject({ success: true, results: [{ to }] });
    const quoted = to.replace(/^(.*)@/, '"$1"@');
    const { emails } = await (await fetch(`${stack.mailboxUrl}/store`)).json();
    const recipients = emails.map(({ destination }: { destination: { to: string[] } }) => destination.to);
    expect(recipients).toContainEqual([quoted]);
  });

  it("shows hostile HTML as text and keeps it out of the headers", async () => {
    const to = someAddress();
    const answer = await postSimple({
      to,
      title: "Hi\r\nBcc: eve@example.com",
      siteName: 'Eve" <eve@example.com>\r\nBcc: eve@example.com,',
      description:
        '<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) <a href="javascript:1">y</a>',
    });
    expect(answer.status).toBe(200);
    const [mail] = await readMailbox(stack.mailboxUrl, to);
    expect(mail?.subject).toBe("Hi Bcc: eve@example.com");
    expect(mail?.from?.value.map(({ address }) => address)).toEqual(["no-reply@platform.example"]);
    expect(mail?.bcc).toBeUndefined();
    expect(mail?.cc).toBeUndefined();
    const html = String(mail?.html);
    expect(html).not.toMatch(/<script|<img|href="javascript/i);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  it("lists all errors of a body and sends nothing", async () => {
    const answer = await postSimple({
      to: ["nobody", someAddress()],
      description: "",
      theme: "green",
      pdf: ["javascript:x"],
    });
    expect(answer.status).toBe(400);
    const { code, issues } = await answer.json();
    expect(code).toBe("invalid_request");
    expect(issues.map(({ path }: { path: string }) => path)).toEqual([
      "to[0]",
      "title",
      "description",
      "theme",
      "pdf[0]",
    ]);
  });

  it("warns if Gmail would clip the e-mail", async () => {
    const answer = await postSimple({ to: someAddress(), title: "Long", description: "a\n\n".repeat(2_000) });
    expect(answer.status).toBe(400);
    expect((await answer.json()).issues).toEqual([
      { path: "description", message: expect.stringContaining("at most 102 kB") },
    ]);
  });

  it("refuses 5 MB, other media types, other methods and the other host", async () => {
    expect((await postSimple({ to: someAddress(), title: "x", description: "a".repeat(5e6) })).status).toBe(
      413,
    );
    expect((await postSimple("to=a", { "Content-Type": "application/x-www-form-urlencoded" })).status).toBe(
      415,
    );
    const path = "/api/send-simple-email";
    expect((await fetch(stack.apiBaseUrl + path)).status).toBe(405);
    expect((await fetch(stack.platformBaseUrl + path, { method: "POST" })).status).toBe(404);
  });
});
