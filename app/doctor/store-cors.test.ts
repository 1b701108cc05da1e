import { expect, it } from "vitest";
import { nameSome } from "./store-cors";

it("names three origins and counts the others", () => {
  const origins = Array.from({ length: 300 }, (_, index) => `https://${index}.example`);
  expect(nameSome(origins)).toBe("https://0.example, https://1.example, https://2.example and 297 more");
  expect(nameSome(origins.slice(0, 2))).toBe("https://0.example, https://1.example");
});
