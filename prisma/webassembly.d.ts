/** Node has it, and neither its types nor ECMAScript's know it: TypeScript describes it with the DOM. */
declare namespace WebAssembly {
  interface ModuleImports {
    [name: string]: unknown;
  }
  function instantiate(
    bytes: Uint8Array,
    imports: Record<string, ModuleImports>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
}
