import { reactRouter } from "@react-router/dev/vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [reactRouter()],
  // Vite would find it only when the page with the files is opened, and then load React twice.
  optimizeDeps: { include: ["platform-embed-element/react"] },
});
