import { z } from "zod";
import { apiRoute } from "../http/api-route.server";
import { endpoint } from "../http/endpoint.server";
import { notFound } from "../http/failure.server";
import { hasSection, pageLanguage } from "../locales/languages.server";

/** `GET /locales/{section}.{tag}.json`: a section of the sentences in the language that suits a tag best. */
export const { loader, action, contract } = apiRoute("platform", "/locales/:file", {
  GET: endpoint({
    operationId: "getLocale",
    summary: "A section of the sentences in one language",
    params: z.object({ file: z.string() }),
    errors: ["not_found"],
    handle({ params: { file }, app }) {
      const [section = "", tag = ""] = file.split(".");
      if (!hasSection(section)) throw notFound();
      return Response.json(pageLanguage(section, { asked: tag }, { pseudo: !app.env.production }), {
        headers: {
          // Public. `<platform-embed>` reads its own section from the page that it is in.
          "Access-Control-Allow-Origin": "*",
          "Cross-Origin-Resource-Policy": "cross-origin",
          "Cache-Control": "public, max-age=600",
        },
      });
    },
  }),
});
