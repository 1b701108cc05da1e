import { expect, it } from "vitest";
import type { FileToUpload } from "../../../../embed-element/protocol";
import type { GateDecision } from "../uploads/transfers/upload-queue";
import { VisitNames } from "./visit-names";

it("numbers names that the visit has used, by folder", () => {
  const names = new VisitNames();
  const taken = ["image.jpg", "image.jpg", "image (1).jpg", "image.jpg"].map((name) =>
    names.take("/in", name),
  );
  expect(taken).toEqual(["image.jpg", "image (1).jpg", "image (2).jpg", "image (3).jpg"]);
  expect(names.take("/in/deeper", "image.jpg")).toBe("image.jpg");
});

it("numbers names that the embedding page has chosen, and leaves its other decisions alone", () => {
  const names = new VisitNames();
  names.take("/in", "a.pdf");
  names.take("/in", "b.pdf");
  let created = 0;
  const gate = names.guard(() => {
    created += 1;
    return {
      ask(files, decide) {
        decide(files.map((_, index) => ({ index, name: "application.pdf" })));
        decide([{ index: 0 }, { index: 1, name: "b.pdf" }]);
        return true;
      },
    };
  });
  expect(created).toBe(0);
  const file = (name: string): FileToUpload => ({
    name,
    size: 1,
    type: "application/pdf",
    folderPath: "/in",
  });
  const decided: GateDecision[] = [];
  expect(gate.ask([file("a.pdf"), file("b.pdf")], (decisions) => decided.push(...decisions))).toBe(true);
  expect(decided).toEqual([
    { index: 0, name: "application.pdf" },
    { index: 1, name: "application (1).pdf" },
    { index: 0 },
    { index: 1, name: "b.pdf" },
  ]);
  gate.ask([], () => {});
  expect(created).toBe(1);
});
