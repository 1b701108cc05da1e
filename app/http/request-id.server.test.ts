import { expect, it } from "vitest";
import { chooseRequestId } from "./request-id.server";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

it.each(["abc-123", "040138a9-c30d-4b37-b0ea-68d94991f741", "3f2a9c0d4e5b6a7f8091a2b3c4d5e6f7", "req_1.2:3"])(
  "a sane id is kept: %s",
  (id) => expect(chooseRequestId({ "x-request-id": id })).toBe(id),
);

it.each([
  ["", {}],
  ["a b", {}],
  ["<script>", {}],
  ["x".repeat(37), {}],
  ["pek_0123456789", {}],
  ["payload.mac-of-a-token-that-is-longer-than-any-id", {}],
  ["short-but-a-key", { "x-api-key": "short-but-a-key" }],
  ["a-bearer-token", { authorization: "Bearer a-bearer-token" }],
])("another is made in place of %j", (id, headers) => {
  expect(chooseRequestId({ "x-request-id": id, ...headers })).toMatch(uuid);
});

it("one is made where there is none, or several", () => {
  expect(chooseRequestId({})).toMatch(uuid);
  expect(chooseRequestId({ "x-request-id": ["a", "b"] })).toMatch(uuid);
});
