import { expect, it } from "vitest";
import { VisitNames } from "./visit-names";

it("numbers names that the visit has used, by folder", () => {
  const names = new VisitNames();
  const taken = ["image.jpg", "image.jpg", "image (1).jpg", "image.jpg"].map((name) =>
    names.take("/in", name),
  );
  expect(taken).toEqual(["image.jpg", "image (1).jpg", "image (2).jpg", "image (3).jpg"]);
  expect(names.take("/in/deeper", "image.jpg")).toBe("image.jpg");
});
