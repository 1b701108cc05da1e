import { Component, CUSTOM_ELEMENTS_SCHEMA } from "@angular/core";
import "platform-embed-element";

@Component({
  selector: "app-root",
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <platform-embed service="files" [attr.scope]="scope" token-endpoint="/embed-url">
      <p slot="loading">One moment…</p>
    </platform-embed>
  `,
})
export class App {
  scope = JSON.stringify({ path: "/Photos" });
}
