/** Remix's compiler turns an imported style sheet into its URL. */
declare module "*.css" {
  const href: string;
  export default href;
}
