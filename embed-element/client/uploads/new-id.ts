import type { World } from "../world.js";

/** 80 random bits, in hexadecimal. */
export function newId({ random }: Pick<World, "random">): string {
  const digits = () => {
    const bits = Math.floor(random() * 2 ** 40);
    return bits.toString(16).padStart(10, "0");
  };
  return digits() + digits();
}
