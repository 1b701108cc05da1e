import openLibrary from "libheif-js/libheif-wasm/libheif-bundle.mjs";

/** A small file can be a huge picture. */
export const MAX_PIXELS = 50_000_000;

/**
 * Decodes the main picture of a HEIC file, turned as the file says.
 * @throws RangeError for too many pixels, Error for a damaged file
 */
export async function readHeic(bytes: Uint8Array): Promise<ImageData> {
  const library = openLibrary();
  const images = new library.HeifDecoder().decode(bytes);
  const image = images.find((each) => each.is_primary()) ?? images[0];
  if (!image) throw new Error("There is no picture in the file.");
  const width = image.get_width();
  const height = image.get_height();
  if (width * height > MAX_PIXELS) throw new RangeError("The picture has too many pixels.");
  const pixels = new ImageData(width, height);
  return new Promise((resolve, reject) => {
    image.display(pixels, (drawn) => (drawn ? resolve(pixels) : reject(new Error("It cannot be decoded."))));
  });
}
