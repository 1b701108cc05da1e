/** A company among Northwind's customers: it has a folder of its own, and little room in it. */
export const demoCustomer = { name: "Café Soleil", path: "/Customers/Café Soleil", maxTotalBytes: 1_000_000 };

/** Its files, each with the demo file that has the content. Together they take two thirds of the room. */
export const filesOfCustomer: Record<string, string> = {
  "Logo.png": "Photos/Café façade.png",
  "Orders/Invoice 1041.pdf": "Invoices/2026/2026-07 Invoice 1041.pdf",
  "Orders/Price list.xlsx": "Data/Price list 2026.xlsx",
  "Terrace/At dusk.png": "Photos/Harbour at dusk.png",
  "Terrace/At night.jpg": "Photos/Night shift.jpg",
  "Terrace/In the morning.jpg": "Photos/Morning at the quay.jpg",
  "Website/Bells.mp3": "Recordings/Harbour bells.mp3",
  "Website/Evening.mp4": "Videos/Evening in the harbour.mp4",
  "Website/Header.png": "Photos/Harbour at dusk.png",
};
