import { isInside } from "../../folder-path";
import { useLanguage } from "../language";

interface UploadHintProps {
  rootPath: string;
  uploadFolder: string | null;
  onOpen(path: string): void;
}

/** Where uploads go, in a folder that takes none. */
export function UploadHint({ rootPath, uploadFolder, onOpen }: UploadHintProps) {
  const { messages } = useLanguage();
  if (uploadFolder === null) return null;
  return (
    <p className="hint">
      {messages.uploadElsewhere(uploadFolder)}{" "}
      {isInside(uploadFolder, rootPath) && (
        <button type="button" className="link-button" onClick={() => onOpen(uploadFolder)}>
          {messages.goThere}
        </button>
      )}
    </p>
  );
}
