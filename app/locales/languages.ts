/** Every language, named by its BCP 47 code. A new one is a file of its own and a line here. */
export { en } from "./en";
export { fr } from "./fr";
