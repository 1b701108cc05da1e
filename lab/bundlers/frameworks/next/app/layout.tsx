import type { ReactNode } from "react";
import "platform-embed-element/style.css";

export const metadata = { title: "App", icons: { icon: "data:," } };

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
