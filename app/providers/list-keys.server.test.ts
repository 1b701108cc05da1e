import { expect, it } from "vitest";
import { readKeyPage } from "./list-keys.server";

const page = (keys: string[], encoding = "<EncodingType>url</EncodingType>") =>
  `<ListBucketResult>${encoding}${keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join("")}</ListBucketResult>`;

it("keys are read as the store has encoded them", () => {
  expect(readKeyPage(page(["a+b%2Bc", "%C3%A9", "a&amp;b"])).keys).toEqual(["a b+c", "é", "a&b"]);
  expect(readKeyPage(page(["a+b%2Bc"], "")).keys).toEqual(["a+b%2Bc"]);
});

it("a key that is no UTF-8 keeps none of the others from being read", () => {
  expect(readKeyPage(page(["a", "b%FF%ED%A0%80+c", "%C3%A9%zz", "d"])).keys).toEqual([
    "a",
    "b\ufffd\ufffd\ufffd\ufffd c",
    "é%zz",
    "d",
  ]);
});
