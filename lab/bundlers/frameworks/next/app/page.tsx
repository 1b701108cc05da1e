import { PlatformEmbed } from "platform-embed-element/react";

export default function Page() {
  return <PlatformEmbed service="files" tokenEndpoint="/embed-url" style={{ height: 600 }} />;
}
