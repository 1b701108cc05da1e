import { visibleText } from "../../../locales/visible-text";

interface Visitor {
  id: string;
  name?: string | undefined;
}

export const nameOfVisitor = ({ id, name }: Visitor): string => name ?? id;

/** Who did something, in the direction of the name. */
export function VisitorName({ visitor }: { visitor: Visitor }) {
  return <bdi>{visibleText(nameOfVisitor(visitor))}</bdi>;
}
