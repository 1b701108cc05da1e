/** Node supports WebAssembly, but its types do not declare it: TypeScript declares it with the DOM types. */
declare namespace WebAssembly {
  interface ModuleImports {
    [name: string]: unknown;
  }
  function instantiate(
    bytes: Uint8Array,
    imports: Record<string, ModuleImports>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
}
