import { attributeOf, childOf, elementsOf, type XmlElement } from "./read-xml";

/** An equation as text in one line, as Word's own linear format has it: `x^2`, `(a+b)/2`, `√(x)`. */
export function equationText(element: XmlElement): string {
  const part = (name: string) => {
    const child = childOf(element, name);
    return child ? equationText(child) : "";
  };
  const property = (name: string) => attributeOf(childOf(childOf(element, `${element.name}Pr`), name), "val");
  switch (element.name) {
    case "t":
      return element.children.filter((child) => typeof child === "string").join("");
    case "f":
      return `${grouped(part("num"))}/${grouped(part("den"))}`;
    case "sSup":
      return `${part("e")}^${grouped(part("sup"))}`;
    case "sSub":
      return `${part("e")}_${grouped(part("sub"))}`;
    case "sSubSup":
      return `${part("e")}_${grouped(part("sub"))}^${grouped(part("sup"))}`;
    case "rad":
      return `${part("deg")}√${grouped(part("e"))}`;
    case "nary": {
      const [below, above] = [part("sub"), part("sup")];
      return `${property("chr") ?? "∫"}${below && `_${grouped(below)}`}${above && `^${grouped(above)}`} ${part("e")}`;
    }
    case "d": {
      const items = elementsOf(element).filter(({ name }) => name === "e");
      return (
        (property("begChr") ?? "(") +
        items.map(equationText).join(property("sepChr") ?? "|") +
        (property("endChr") ?? ")")
      );
    }
    case "func":
      return `${part("fName")} ${part("e")}`;
    case "limLow":
      return `${part("e")}_${grouped(part("lim"))}`;
    case "limUpp":
      return `${part("e")}^${grouped(part("lim"))}`;
    case "m":
    case "eqArr":
      return elementsOf(element)
        .filter(({ name }) => name === "mr" || name === "e")
        .map(equationText)
        .join("; ");
    case "mr":
      return elementsOf(element).map(equationText).join(", ");
    default:
      return elementsOf(element).map(equationText).join("");
  }
}

/** What is more than a letter or a number needs parentheses. */
const grouped = (text: string) => (/^[\p{L}\p{N}.,]*$/u.test(text) ? text : `(${text})`);
