export interface Size {
  width: number;
  height: number;
}

/** Around an image that fits, CSS pixels; less where there is little place. */
const MARGIN = 24;
/** A drawing without a size of its own. */
export const SMALLEST_DRAWING: Size = { width: 320, height: 320 };

/** How an image is scaled so that all of it is seen. Never enlarged: small images stay sharp. */
export function fitScale(image: Size, place: Size): number {
  const margin = Math.min(MARGIN, place.width * 0.04, place.height * 0.04) * 2;
  return Math.min((place.width - margin) / image.width, (place.height - margin) / image.height, 1);
}
