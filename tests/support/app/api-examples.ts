/** Replaces what differs from run to run in recorded examples: times, ids, secrets and signatures. */

/** The time of the first request in the examples. */
const FIRST = Date.parse("2026-01-15T09:30:00Z");
const MINUTE = 60_000;

export class ExampleTidier {
  readonly #started = Date.now();
  readonly #ids = new Map<string, string>();
  /** values by what is shown instead, such as the name of the test's bucket */
  readonly names = new Map<string, string>();

  /** @param value anything that JSON can express */
  tidy<Value>(value: Value): Value {
    let text = JSON.stringify(value);
    for (const [name, shown] of this.names) text = text.replaceAll(name, shown);
    text = text
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) => this.#time(Date.parse(time)))
      .replace(
        /("(?:expiresAt|serverTime|revokedBefore|issuedBefore)":)(\d{10})\b/g,
        (_, member, seconds) => member + this.#near(Number(seconds) * 1_000) / 1_000,
      )
      .replace(/X-Amz-Date=\w+/g, "X-Amz-Date=20260115T093000Z")
      .replace(/X-Amz-Credential=\w+%2F\d+/g, "X-Amz-Credential=AKIAEXAMPLE%2F20260115")
      .replace(/X-Amz-Signature=\w+/g, "X-Amz-Signature=0123abcd")
      .replace(/pek_\w+/g, "pek_EXAMPLE")
      .replace(/whsec_[\w+/=]+/g, "whsec_EXAMPLE")
      .replace(/(?<="Signature":")[^"]+/g, "EXAMPLEpH+8fJ0mGLz==")
      .replace(/(?<="password":"|:\/\/\w+:)[\w-]{32}(?="|@)/g, "EXAMPLE-PASSWORD")
      .replace(/(?<=\bses-)\d+/g, (id) => this.#id(id, "", 9))
      // The mark of a file that was handed in.
      .replace(/(?<=\bcv \()\w+/g, "8v97ck87ytn8a")
      .replace(/(?<=\borders_)[0-9a-f]{10}/g, (id) => this.#id(id, "", 10))
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-\d[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) =>
        this.#id(id, "0192f0c1-0000-7000-8000-", 12),
      )
      // Also in CSV, which has JSON's quotes twice, inside JSON, which escapes them.
      .replace(/(?<="version(?:Id)?":"|\\"version\\"\\":\\"\\")[^"\\]+/g, (id) =>
        this.#id(id, "3sL4kqtJlcpXroDTDmJ", 13),
      )
      .replace(/\bc[a-z0-9]{24}\b/g, (id) => this.#id(id, "cmf0k3x9a", 16))
      // A position in the log of the catalogues.
      .replace(/(?<=\bid: )\d+\.[\d:,]+/g, "1768469400.5000:5000:")
      // Tokens, handles, cursors and signatures.
      .replace(/[\w-]{40,}(?:[.~][\w-]+)*/g, "eyJhIjoi…");
    return JSON.parse(text);
  }

  #time(time: number): string {
    return new Date(this.#near(time)).toISOString();
  }

  /** Shifts a time (ms), to the nearest of every five minutes, so that it does not tell how long the test took. */
  #near(time: number): number {
    return FIRST + Math.round((time - this.#started) / (5 * MINUTE)) * 5 * MINUTE;
  }

  /** The same id gets the same number. */
  #id(id: string, prefix: string, digits: number): string {
    const known = this.#ids.get(id) ?? prefix + String(this.#ids.size + 1).padStart(digits, "0");
    this.#ids.set(id, known);
    return known;
  }
}
