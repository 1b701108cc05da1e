import { index, type RouteConfig, route } from "@react-router/dev/routes";

export default [
  index("routes/files.tsx"),
  route("sign-in", "routes/sign-in.tsx"),
  route("embed-url", "routes/embed-url.ts"),
] satisfies RouteConfig;
