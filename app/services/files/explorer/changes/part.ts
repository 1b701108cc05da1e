import { makePart } from "../part";

/** What shows menus and dialogs, and carries out what they say. */
export const ChangesPart = makePart(() => import("./changes-part"));
