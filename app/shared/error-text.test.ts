import { expect, it } from "vitest";
import { messageOf } from "./error-text";

it("describes whatever was thrown", () => {
  expect(messageOf(new Error("The disk is full."))).toBe("The disk is full.");
  expect(messageOf(new RangeError())).toBe("RangeError");
  expect(messageOf("text")).toBe("text");
});

it("names both addresses of an AggregateError", () => {
  const errors = [new Error("connect ECONNREFUSED ::1:1"), new Error("connect ECONNREFUSED 127.0.0.1:1")];
  expect(messageOf(new AggregateError(errors))).toBe(
    "connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1",
  );
});
