import { expect, it } from "vitest";
import { isSessionOver } from "./connection-errors";
import { explainStoreFailure, toAppError } from "./store-failure.server";

const named = (name: string) => Object.assign(new Error("x"), { name, $metadata: { httpStatusCode: 400 } });

it.each(["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"])(
  "%s is a session that has ended: the store is asked again with other credentials",
  (name) => {
    expect(isSessionOver(named(name))).toBe(true);
    expect(explainStoreFailure(named(name))).toMatchObject({ kind: "session", problem: "store_busy" });
    expect(toAppError(named(name), {})).toMatchObject({
      code: "unavailable",
      message: "The object store cannot be used. Try again in a moment.",
    });
  },
);

it("a wrong key is no session that has ended", () => {
  expect(isSessionOver(named("InvalidAccessKeyId"))).toBe(false);
  expect(isSessionOver(new Error("ExpiredToken"))).toBe(false);
});
