import { apiRoute } from "../http/api-route.server";
import { copying } from "./api.embed.storage.copy";

/** `POST /api/embed/storage/move` */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/move", {
  POST: copying("Move or rename files and folders", { isMove: true }),
});
