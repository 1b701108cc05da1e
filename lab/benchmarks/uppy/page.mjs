import AwsS3 from "@uppy/aws-s3";
import Uppy from "@uppy/core";

const uppy = new Uppy({ autoProceed: true });
uppy.use(AwsS3, {
  shouldUseMultipart: true,
  generateObjectKey: (file) => file.name,
  signRequest: async (request) => {
    const response = await fetch("/sign", { method: "POST", body: JSON.stringify(request) });
    return { url: await response.text() };
  },
});
uppy.on("complete", ({ successful = [], failed = [] }) => {
  document.title = failed.length === 0 && successful.length > 0 ? "done" : "failed";
});
document.querySelector("input")?.addEventListener("change", ({ target }) => {
  const [file] = target.files ?? [];
  if (file) uppy.addFile({ name: file.name, type: file.type, data: file });
});
