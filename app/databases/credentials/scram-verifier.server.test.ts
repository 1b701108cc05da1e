import { expect, it } from "vitest";
import { scramVerifier } from "./scram-verifier.server";

it("is that of the example in RFC 7677", async () => {
  // Section 3: user "user", password "pencil". The keys follow from its messages.
  const salt = Buffer.from("W22ZaJ0SNY7soEsUEjb6gQ==", "base64");
  expect(await scramVerifier("pencil", salt)).toBe(
    "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=",
  );
});

it("has another salt each time", async () => {
  expect(await scramVerifier("pencil")).not.toBe(await scramVerifier("pencil"));
});
