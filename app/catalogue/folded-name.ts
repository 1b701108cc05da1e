import { nameOfKey } from "platform-embed-element/client";
import { foldName } from "../shared/fold-name";

/** The name of an object as searches compare it. */
export const foldedNameOf = (key: string): string => foldName(nameOfKey(key));
