import type { Encoding } from "../../../app/services/files/browse/decode-text";

/** Letters as offices write them, by language, with the encodings in which such texts are met. */
export const texts: Record<string, { text: string; encodings: Encoding[] }> = {
  German: {
    text: "Sehr geehrte Damen und Herren,\r\nfür die Überweisung vom 3. März danken wir. Die Größe der Behälter müssen wir noch prüfen; bitte schicken Sie uns die Maße.\r\nMit freundlichen Grüßen\r\nJürgen Müller, Straße 5, Köln\r\n",
    encodings: [
      "windows-1252",
      "iso-8859-15",
      "macintosh",
      "ibm437",
      "ibm850",
      "utf-16le",
      "utf-16be",
      "utf-32le",
      "utf-32be",
    ],
  },
  French: {
    text: "Madame, Monsieur,\r\nnous avons bien reçu votre règlement du 3 février. La quantité commandée a été livrée à entrepôt, où elle est vérifiée dès ce jour.\r\nVeuillez agréer nos salutations distinguées.\r\nFrançois Lefèvre, responsable qualité\r\n",
    encodings: ["windows-1252", "macintosh"],
  },
  Spanish: {
    text: "Estimados señores:\r\nhemos recibido la factura número 12 del año pasado. ¿Pueden confirmar la dirección del almacén? La próxima reunión será el miércoles.\r\nUn saludo, José Núñez, administración\r\n",
    encodings: ["windows-1252", "ibm850"],
  },
  Polish: {
    text: "Szanowni Państwo,\r\nw załączeniu przesyłamy cennik na przyszły rok. Prosimy o sprawdzenie, czy wszystkie pozycje są właściwe, i odesłanie podpisanej umowy.\r\nZ poważaniem\r\nŁukasz Wiśniewski, Łódź, ulica Żółta 5\r\n",
    encodings: ["windows-1250", "iso-8859-2", "ibm852"],
  },
  Czech: {
    text: "Vážení obchodní přátelé,\r\nv příloze posíláme ceník na příští rok. Prosíme o kontrolu, zda jsou všechny položky správné, a o zaslání podepsané smlouvy zpět.\r\nS pozdravem\r\nJiří Dvořák, Plzeň, Široká ulice 5\r\n",
    encodings: ["windows-1250", "iso-8859-2", "ibm852"],
  },
  Hungarian: {
    text: "Tisztelt Ügyfelünk!\r\nMellékelten küldjük a jövő évi árlistát. Kérjük, ellenőrizze, hogy minden tétel megfelelő-e, és küldje vissza az aláírt szerződést.\r\nÜdvözlettel\r\nSzűcs Győző, Fő út 5, Győr\r\n",
    encodings: ["windows-1250", "iso-8859-2", "ibm852"],
  },
  Turkish: {
    text: "Sayın yetkili,\r\ngelecek yılın fiyat listesini ekte gönderiyoruz. Lütfen bütün kalemlerin doğru olup olmadığını kontrol ediniz ve imzalı sözleşmeyi geri gönderiniz.\r\nSaygılarımızla\r\nŞükrü Yıldız, Işık Sokağı 5, İzmir\r\n",
    encodings: ["windows-1254"],
  },
  Lithuanian: {
    text: "Gerbiami klientai,\r\nsiunčiame kitų metų kainoraštį. Prašome patikrinti, ar visos eilutės yra teisingos, ir grąžinti pasirašytą sutartį iki mėnesio pabaigos.\r\nPagarbiai\r\nŽygimantas Šėža, Šviesos gatvė 5, Kaunas\r\n",
    encodings: ["windows-1257", "iso-8859-13"],
  },
  Vietnamese: {
    // Windows-1258 has the tones as characters of their own.
    text: "Kính gửi quý khách,\r\nchúng tôi xin gửi bảng giá của năm tới. Xin quý khách vui lòng kiểm tra và gửi lại hợp đồng đã ký.\r\nTrân trọng\r\n",
    encodings: ["windows-1258"],
  },
  Greek: {
    text: "Αγαπητοί συνεργάτες,\r\nσας στέλνουμε συνημμένα τον τιμοκατάλογο του επόμενου έτους. Παρακαλούμε να ελέγξετε αν όλα τα στοιχεία είναι σωστά και να επιστρέψετε τη σύμβαση.\r\nΜε εκτίμηση\r\nΓιώργος Παπαδόπουλος, οδός Ήλιου 5, Αθήνα\r\n",
    encodings: ["windows-1253", "iso-8859-7"],
  },
  Russian: {
    text: "Уважаемые коллеги,\r\nво вложении отправляем прайс-лист на следующий год. Просим проверить, все ли позиции указаны верно, и вернуть подписанный договор до конца месяца.\r\nС уважением\r\nИван Петров, улица Ленина 5, Москва\r\n",
    encodings: [
      "windows-1251",
      "koi8-r",
      "ibm866",
      "iso-8859-5",
      "x-mac-cyrillic",
      "utf-16le",
      "utf-16be",
      "utf-32le",
    ],
  },
  Ukrainian: {
    text: "Шановні колеги,\r\nу вкладенні надсилаємо прайс-лист на наступний рік. Просимо перевірити, чи всі позиції вказано правильно, і повернути підписаний договір до кінця місяця.\r\nЗ повагою\r\nІван Їжакевич, вулиця Європейська 5, Київ\r\n",
    encodings: ["windows-1251", "koi8-u"],
  },
  Hebrew: {
    text: "לקוחות נכבדים,\r\nמצורף המחירון לשנה הבאה. נא לבדוק אם כל הפריטים נכונים ולהחזיר את ההסכם החתום עד סוף החודש.\r\nבברכה\r\nיוסי כהן, רחוב הרצל 5, תל אביב\r\n",
    encodings: ["windows-1255", "iso-8859-8"],
  },
  Arabic: {
    text: "السادة الكرام،\r\nنرسل لكم مرفقا قائمة الأسعار للسنة القادمة. نرجو التحقق من صحة جميع البنود وإعادة العقد الموقع قبل نهاية الشهر.\r\nمع أطيب التحيات\r\nأحمد محمود، شارع النيل 5، القاهرة\r\n",
    encodings: ["windows-1256", "iso-8859-6"],
  },
  Thai: {
    text: "เรียนลูกค้าทุกท่าน\r\nเราได้แนบรายการราคาสำหรับปีหน้ามาด้วย กรุณาตรวจสอบว่าทุกรายการถูกต้อง และส่งสัญญาที่ลงนามแล้วกลับมาก่อนสิ้นเดือน\r\nขอแสดงความนับถือ\r\nสมชาย ใจดี กรุงเทพ\r\n",
    encodings: ["windows-874"],
  },
  Japanese: {
    text: "お客様各位\r\n来年度の価格表を添付いたします。すべての項目が正しいかご確認のうえ、署名した契約書を月末までにご返送ください。\r\n敬具\r\n株式会社東京倉庫 山田太郎\r\n",
    encodings: ["shift_jis", "euc-jp", "iso-2022-jp", "utf-16le"],
  },
  "Japanese without kana": {
    text: "商品番号,商品名,単価,数量,合計金額\r\n1001,東京都千代田区,1200,15,18000\r\n1002,大阪府大阪市,800,20,16000\r\n1003,北海道札幌市,2500,4,10000\r\n",
    encodings: ["shift_jis", "euc-jp"],
  },
  "Simplified Chinese": {
    text: "尊敬的客户：\r\n附件是明年的价格清单。请检查所有项目是否正确，并在月底之前寄回签字的合同。\r\n此致敬礼\r\n王小明，北京市朝阳区建国路五号\r\n",
    encodings: ["gb18030", "utf-16le"],
  },
  "Traditional Chinese": {
    text: "敬愛的客戶：\r\n附件是明年的價格清單。請檢查所有項目是否正確，並在月底之前寄回簽字的合約。\r\n敬祝商祺\r\n王小明，臺北市中正區忠孝東路五號\r\n",
    encodings: ["big5"],
  },
  Korean: {
    text: "고객 여러분께\r\n내년 가격 목록을 첨부합니다. 모든 항목이 올바른지 확인하시고 서명한 계약서를 월말까지 돌려보내 주시기 바랍니다.\r\n감사합니다\r\n김철수, 서울시 중구 세종대로\r\n",
    encodings: ["euc-kr"],
  },
};
