/** What is used of libheif's JavaScript interface. The package describes another one of its builds. */
declare module "libheif-js/libheif-wasm/libheif-bundle.mjs" {
  interface HeifImage {
    get_width(): number;
    get_height(): number;
    is_primary(): boolean;
    /** Fills `target`, and calls back with it, or with null if the picture is damaged. */
    display(target: ImageData, done: (target: ImageData | null) => void): void;
  }
  interface Library {
    /** `decode` returns no images for a damaged file. */
    HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] };
  }
  export default function openLibrary(): Library;
}
