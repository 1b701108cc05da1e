/** Whatever extends `HTMLElement` extends this: the package can be imported on a server, where nobody makes an element. */
const OwnHTMLElement = globalThis.HTMLElement ?? class {};

export { OwnHTMLElement as HTMLElement };
