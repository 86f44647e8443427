/** Texts as people send them to models: a few hundred characters each, so that one odd word decides nothing. */
export const SAMPLES: Readonly<Record<string, string>> = {
  English: `I have been asked to write a short report about how our support team handled the outage last Thursday. The first alert arrived at ten past nine in the morning, but nobody noticed it until a customer called half an hour later. By then the queue had grown to several thousand messages and the workers were restarting every few minutes. Please help me describe what happened in plain words, without blaming anyone, and suggest three things that we could change so that it does not happen again. The readers are managers who know the product well but have never looked at the code. Keep it under two pages, use short paragraphs, and finish with a list of open questions that we should discuss at the meeting next week.`,
  German: `Ich soll für unsere Geschäftsleitung einen kurzen Bericht darüber schreiben, wie die Kundenbetreuung den Ausfall am vergangenen Donnerstag bewältigt hat. Die erste Warnung kam um zehn nach neun, wurde aber erst bemerkt, als eine halbe Stunde später eine Kundin anrief. Zu diesem Zeitpunkt war die Warteschlange bereits auf mehrere tausend Nachrichten angewachsen, und die Verarbeitung wurde alle paar Minuten neu gestartet. Bitte beschreiben Sie das Geschehen in verständlichen Worten, ohne jemandem die Schuld zu geben, und schlagen Sie drei Verbesserungen vor, damit sich so etwas nicht wiederholt. Die Leserinnen und Leser kennen das Produkt gut, haben sich aber nie mit dem Quelltext beschäftigt.`,
  French: `On m'a demandé de rédiger un court rapport sur la manière dont notre équipe d'assistance a géré la panne de jeudi dernier. La première alerte est arrivée à neuf heures dix, mais personne ne l'a remarquée avant l'appel d'une cliente, une demi-heure plus tard. À ce moment-là, la file d'attente contenait déjà plusieurs milliers de messages et les processus redémarraient toutes les deux minutes. Aidez-moi à décrire ce qui s'est passé avec des mots simples, sans accuser personne, et proposez trois changements pour que cela ne se reproduise plus. Les lecteurs sont des responsables qui connaissent bien le produit, mais qui n'ont jamais lu le code. Terminez par une liste de questions ouvertes.`,
  Spanish: `Me han pedido que escriba un informe breve sobre cómo nuestro equipo de atención al cliente gestionó la avería del jueves pasado. El primer aviso llegó a las nueve y diez de la mañana, pero nadie se dio cuenta hasta que una clienta llamó media hora más tarde. Para entonces la cola había crecido hasta varios miles de mensajes y los procesos se reiniciaban cada pocos minutos. Ayúdame a describir lo que pasó con palabras sencillas, sin culpar a nadie, y propón tres cambios para que no vuelva a ocurrir. Los lectores son directivos que conocen bien el producto pero nunca han visto el código. Termina con una lista de preguntas abiertas que deberíamos tratar en la reunión de la semana que viene.`,
  Portuguese: `Pediram-me para escrever um relatório curto sobre a forma como a nossa equipa de apoio lidou com a falha da última quinta-feira. O primeiro alerta chegou às nove e dez da manhã, mas ninguém reparou até uma cliente telefonar meia hora depois. Nessa altura a fila já tinha crescido para vários milhares de mensagens e os processos reiniciavam de poucos em poucos minutos. Ajude-me a descrever o que aconteceu em palavras simples, sem culpar ninguém, e sugira três coisas que poderíamos mudar para que não volte a acontecer. Os leitores são gestores que conhecem bem o produto, mas nunca olharam para o código.`,
  Polish: `Poproszono mnie o napisanie krótkiego raportu o tym, jak nasz zespół wsparcia poradził sobie z awarią w zeszły czwartek. Pierwsze ostrzeżenie pojawiło się o dziewiątej dziesięć, ale nikt go nie zauważył, dopóki pół godziny później nie zadzwoniła klientka. Do tego czasu kolejka urosła do kilku tysięcy wiadomości, a procesy uruchamiały się ponownie co kilka minut. Proszę opisać prostymi słowami, co się stało, nikogo nie obwiniając, i zaproponować trzy zmiany, dzięki którym to się nie powtórzy. Czytelnicy dobrze znają produkt, ale nigdy nie zaglądali do kodu źródłowego. Na końcu dodaj listę otwartych pytań, które powinniśmy omówić na przyszłotygodniowym spotkaniu.`,
  Turkish: `Geçen perşembe yaşanan kesintiyi destek ekibimizin nasıl yönettiğine dair kısa bir rapor yazmam istendi. İlk uyarı sabah dokuzu on geçe geldi, ancak yarım saat sonra bir müşteri arayana kadar kimse fark etmedi. O zamana kadar kuyruk birkaç bin mesaja ulaşmıştı ve işlemler birkaç dakikada bir yeniden başlıyordu. Lütfen ne olduğunu kimseyi suçlamadan, sade bir dille anlatmama yardım et ve bir daha olmaması için değiştirebileceğimiz üç şey öner. Okuyanlar ürünü iyi bilen ama koda hiç bakmamış yöneticiler. Kısa paragraflar kullan ve gelecek haftaki toplantıda konuşmamız gereken açık soruların bir listesiyle bitir.`,
  Vietnamese: `Tôi được yêu cầu viết một báo cáo ngắn về cách đội hỗ trợ của chúng tôi xử lý sự cố hôm thứ Năm tuần trước. Cảnh báo đầu tiên đến lúc chín giờ mười sáng, nhưng không ai để ý cho đến khi một khách hàng gọi điện nửa giờ sau đó. Lúc ấy hàng đợi đã lên tới vài nghìn tin nhắn và các tiến trình cứ vài phút lại khởi động lại. Hãy giúp tôi mô tả những gì đã xảy ra bằng lời lẽ đơn giản, không đổ lỗi cho ai, và đề xuất ba điều chúng tôi có thể thay đổi để chuyện này không lặp lại. Người đọc là các nhà quản lý hiểu rõ sản phẩm nhưng chưa bao giờ xem mã nguồn.`,
  Russian: `Меня попросили написать короткий отчёт о том, как наша служба поддержки справилась со сбоем в прошлый четверг. Первое предупреждение пришло в десять минут десятого утра, но никто его не заметил, пока через полчаса не позвонила клиентка. К этому времени очередь выросла до нескольких тысяч сообщений, а обработчики перезапускались каждые несколько минут. Помогите описать произошедшее простыми словами, никого не обвиняя, и предложите три изменения, чтобы это не повторилось. Читатели — руководители, которые хорошо знают продукт, но никогда не смотрели на исходный код. Закончите списком открытых вопросов, которые нам следует обсудить на встрече на следующей неделе.`,
  Greek: `Μου ζήτησαν να γράψω μια σύντομη έκθεση για το πώς η ομάδα υποστήριξης αντιμετώπισε τη βλάβη της περασμένης Πέμπτης. Η πρώτη ειδοποίηση ήρθε στις εννέα και δέκα το πρωί, αλλά κανείς δεν την πρόσεξε μέχρι που τηλεφώνησε μια πελάτισσα μισή ώρα αργότερα. Μέχρι τότε η ουρά είχε μεγαλώσει σε αρκετές χιλιάδες μηνύματα και οι διεργασίες επανεκκινούσαν κάθε λίγα λεπτά. Βοηθήστε με να περιγράψω τι συνέβη με απλά λόγια, χωρίς να κατηγορήσω κανέναν, και προτείνετε τρία πράγματα που θα μπορούσαμε να αλλάξουμε ώστε να μην ξανασυμβεί. Οι αναγνώστες γνωρίζουν καλά το προϊόν, αλλά δεν έχουν δει ποτέ τον κώδικα.`,
  Arabic: `طُلب مني أن أكتب تقريراً قصيراً عن كيفية تعامل فريق الدعم لدينا مع العطل الذي وقع يوم الخميس الماضي. وصل التنبيه الأول في التاسعة وعشر دقائق صباحاً، لكن لم يلاحظه أحد حتى اتصلت إحدى العميلات بعد نصف ساعة. في ذلك الوقت كان عدد الرسائل في قائمة الانتظار قد بلغ عدة آلاف، وكانت العمليات تعيد التشغيل كل بضع دقائق. من فضلك ساعدني في وصف ما حدث بكلمات بسيطة، دون إلقاء اللوم على أحد، واقترح ثلاثة أشياء يمكننا تغييرها حتى لا يتكرر ذلك. القراء مديرون يعرفون المنتج جيداً لكنهم لم يطلعوا على الشيفرة البرمجية من قبل. اختم بقائمة من الأسئلة المفتوحة التي ينبغي أن نناقشها في اجتماع الأسبوع المقبل.`,
  Hebrew: `ביקשו ממני לכתוב דוח קצר על האופן שבו צוות התמיכה שלנו טיפל בתקלה ביום חמישי שעבר. ההתראה הראשונה הגיעה בתשע ועשר בבוקר, אבל איש לא שם לב אליה עד שלקוחה התקשרה חצי שעה מאוחר יותר. עד אז התור גדל לכמה אלפי הודעות והתהליכים הופעלו מחדש בכל כמה דקות. אנא עזור לי לתאר מה קרה במילים פשוטות, בלי להאשים אף אחד, והצע שלושה דברים שאפשר לשנות כדי שזה לא יקרה שוב. הקוראים הם מנהלים שמכירים היטב את המוצר אך מעולם לא הסתכלו בקוד. סיים ברשימת שאלות פתוחות שכדאי לדון בהן בפגישה בשבוע הבא.`,
  Hindi: `मुझसे कहा गया है कि मैं एक छोटी रिपोर्ट लिखूँ कि पिछले गुरुवार की खराबी को हमारी सहायता टीम ने कैसे संभाला। पहली चेतावनी सुबह नौ बजकर दस मिनट पर आई, लेकिन आधे घंटे बाद एक ग्राहक के फोन करने तक किसी ने उस पर ध्यान नहीं दिया। तब तक कतार में कई हज़ार संदेश जमा हो चुके थे और प्रक्रियाएँ हर कुछ मिनट में दोबारा शुरू हो रही थीं। कृपया सरल शब्दों में यह बताने में मेरी मदद करें कि क्या हुआ, किसी पर दोष लगाए बिना, और तीन ऐसे सुझाव दें जिन्हें बदलकर हम इसे फिर होने से रोक सकें। पाठक ऐसे प्रबंधक हैं जो उत्पाद को अच्छी तरह जानते हैं लेकिन जिन्होंने कभी कोड नहीं देखा।`,
  Thai: `ฉันได้รับมอบหมายให้เขียนรายงานสั้น ๆ เกี่ยวกับวิธีที่ทีมสนับสนุนของเรารับมือกับเหตุขัดข้องเมื่อวันพฤหัสบดีที่แล้ว การแจ้งเตือนครั้งแรกมาถึงเวลาเก้าโมงสิบนาที แต่ไม่มีใครสังเกตเห็นจนกระทั่งลูกค้าคนหนึ่งโทรมาในอีกครึ่งชั่วโมงต่อมา ตอนนั้นคิวมีข้อความสะสมอยู่หลายพันข้อความแล้ว และโปรแกรมก็เริ่มทำงานใหม่ทุก ๆ สองสามนาที ช่วยฉันอธิบายสิ่งที่เกิดขึ้นด้วยคำง่าย ๆ โดยไม่กล่าวโทษใคร และเสนอสามสิ่งที่เราควรเปลี่ยนเพื่อไม่ให้เกิดขึ้นอีก ผู้อ่านเป็นผู้จัดการที่รู้จักผลิตภัณฑ์เป็นอย่างดีแต่ไม่เคยดูโค้ดเลย`,
  Chinese: `我被要求写一份简短的报告，说明上周四发生故障时我们的客服团队是如何应对的。第一条警报在上午九点十分发出，但直到半小时后有一位客户打来电话，才有人注意到。那时队列里已经积压了几千条消息，处理程序每隔几分钟就重新启动一次。请帮我用通俗的语言描述事情的经过，不要指责任何人，并提出三项可以改进的措施，避免类似的问题再次发生。读者都是熟悉产品但从未看过代码的管理人员。请使用简短的段落，篇幅不超过两页，最后列出下周会议上应该讨论的未决问题。如果有不确定的地方，请明确指出来，不要猜测。`,
  'Traditional Chinese': `我被要求寫一份簡短的報告，說明上週四發生故障時我們的客服團隊是如何應對的。第一則警報在上午九點十分發出，但直到半小時後有一位客戶打電話來，才有人注意到。那時佇列裡已經累積了幾千則訊息，處理程式每隔幾分鐘就重新啟動一次。請幫我用淺顯的文字描述事情的經過，不要責怪任何人，並提出三項可以改進的措施，避免類似的問題再次發生。讀者都是熟悉產品但從未看過程式碼的主管。請使用簡短的段落，最後列出下週會議上應該討論的問題。`,
  Japanese: `先週の木曜日に発生した障害に、サポートチームがどのように対応したかについて、短い報告書を書くように頼まれました。最初の警告は午前九時十分に届きましたが、三十分後にお客様から電話があるまで、誰も気づきませんでした。その時点で、待ち行列には数千件のメッセージがたまり、処理プログラムは数分おきに再起動を繰り返していました。何が起きたのかを、誰も責めることなく、わかりやすい言葉で説明するのを手伝ってください。また、同じことが起きないように、改善できる点を三つ提案してください。読者は製品をよく知っていますが、コードを見たことのない管理職です。`,
  Korean: `지난주 목요일에 발생한 장애를 우리 고객 지원 팀이 어떻게 처리했는지에 대한 짧은 보고서를 써 달라는 요청을 받았습니다. 첫 번째 경고는 오전 아홉 시 십 분에 도착했지만, 삼십 분 뒤에 한 고객이 전화할 때까지 아무도 알아차리지 못했습니다. 그때는 이미 대기열에 수천 개의 메시지가 쌓였고, 처리 프로그램은 몇 분마다 다시 시작되고 있었습니다. 누구도 탓하지 않으면서 무슨 일이 있었는지 쉬운 말로 설명하도록 도와주시고, 다시 일어나지 않도록 바꿀 수 있는 세 가지를 제안해 주세요. 독자들은 제품은 잘 알지만 코드를 본 적이 없는 관리자들입니다.`,
  TypeScript: `export class WorkQueue<Item> {
  readonly #waiting: Item[] = []
  readonly #handle: (item: Item) => Promise<void>
  #running = 0

  constructor(handle: (item: Item) => Promise<void>, private readonly maxParallel = 4) {
    this.#handle = handle
  }

  get size(): number {
    return this.#waiting.length + this.#running
  }

  add(item: Item): void {
    this.#waiting.push(item)
    if (this.#running < this.maxParallel) this.#startNext()
  }

  #startNext(): void {
    const item = this.#waiting.shift()
    if (item === undefined) return
    this.#running += 1
    this.#handle(item)
      .catch((error: unknown) => console.error('the item could not be handled', { item, error }))
      .finally(() => {
        this.#running -= 1
        this.#startNext()
      })
  }
}
`,
  Python: `import json
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Inventory:
    """Counts articles by warehouse."""

    counts: dict[str, int] = field(default_factory=dict)

    def receive(self, article: str, quantity: int) -> None:
        if quantity <= 0:
            raise ValueError(f"quantity must be positive, not {quantity}")
        self.counts[article] = self.counts.get(article, 0) + quantity

    def ship(self, article: str, quantity: int) -> int:
        available = self.counts.get(article, 0)
        shipped = min(available, quantity)
        self.counts[article] = available - shipped
        return shipped

    @classmethod
    def load(cls, path: Path) -> "Inventory":
        with path.open(encoding="utf-8") as file:
            return cls(counts=json.load(file))


if __name__ == "__main__":
    inventory = Inventory()
    inventory.receive("bolt-m8", 250)
    print(inventory.ship("bolt-m8", 300))
`,
  C: `#include <stdio.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *left, *right;
};

static struct node *insert(struct node *root, int key)
{
    if (root == NULL) {
        struct node *made = malloc(sizeof *made);
        if (made == NULL) {
            perror("malloc");
            exit(EXIT_FAILURE);
        }
        made->key = key;
        made->left = made->right = NULL;
        return made;
    }
    if (key < root->key)
        root->left = insert(root->left, key);
    else if (key > root->key)
        root->right = insert(root->right, key);
    return root;
}

int main(int argc, char **argv)
{
    struct node *root = NULL;
    for (int i = 1; i < argc; i++)
        root = insert(root, atoi(argv[i]));
    printf("%d\\n", root ? root->key : 0);
    return 0;
}
`,
  SQL: `SELECT c.id, c.name, COUNT(o.id) AS orders, SUM(o.total_amount) AS revenue
FROM customers AS c
LEFT JOIN orders AS o ON o.customer_id = c.id AND o.status <> 'cancelled'
WHERE c.created_at >= '2025-01-01' AND c.country IN ('DE', 'FR', 'PL')
GROUP BY c.id, c.name
HAVING SUM(o.total_amount) > 1000
ORDER BY revenue DESC, c.name
LIMIT 50 OFFSET 100;

CREATE INDEX CONCURRENTLY idx_orders_customer_created ON orders (customer_id, created_at DESC) WHERE deleted_at IS NULL;
UPDATE invoices SET paid_at = now(), paid_by = 'bank_transfer' WHERE number = 'INV-2025-00417' AND paid_at IS NULL;
`,
  JSON: `{
  "type": "function",
  "function": {
    "name": "search_flights",
    "description": "Finds flights between two airports on a given day.",
    "parameters": {
      "type": "object",
      "properties": {
        "origin": { "type": "string", "description": "IATA code of the departure airport", "pattern": "^[A-Z]{3}$" },
        "destination": { "type": "string", "description": "IATA code of the arrival airport" },
        "date": { "type": "string", "format": "date" },
        "passengers": { "type": "integer", "minimum": 1, "maximum": 9, "default": 1 },
        "cabin": { "type": "string", "enum": ["economy", "premium", "business", "first"] }
      },
      "required": ["origin", "destination", "date"],
      "additionalProperties": false
    }
  }
}
`,
  Markdown: `# Release notes

## 2.4.0 (2026-03-14)

- **Faster start**: the index is now read lazily, so that a cold start takes *under 200 ms*.
- Added \`--dry-run\` to \`deploy\`; see [the guide](https://docs.example.com/guide/deploy#dry-run).
- Fixed a crash when the config file contains a trailing comma (#1482, #1490).

| Setting | Default | Description |
|---------|---------|-------------|
| \`timeout\` | 30 | Seconds to wait for an answer |
| \`retries\` | 2 | How often a failed call is repeated |
| \`verbose\` | false | Prints every request |

> Upgrade note: run \`npm install\` again after pulling, since two dependencies have moved.
`,
  Emoji: `Wow 🎉🎉 das war super! 😂😂😂 Can't wait for the weekend 🏖️☀️🍹 Who is coming? 🙋‍♀️🙋‍♂️ I will bring 🍕 and 🍺, you bring 🥗 please 🙏 See you at 7 👋❤️ Don't forget the 🎸 and the 🔥! Love you all 💛💚💙💜 🚗💨 on my way now, the traffic is terrible 😤😩 but the sunset is amazing 🌅✨ back soon 👍👍`,
  Digits: `2024-11-03 14:22:07.381 183.45 99120 0.000312
2024-11-03 14:22:08.112 184.02 99087 0.000298
2024-11-03 14:22:09.640 183.97 99101 0.000305
Account 4417 1234 5678 9113, balance 1,204,558.20, last payment 350.00 on 17.09.2025
3.14159265358979323846264338327950288419716939937510582097494459
`,
  Base64: `iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==
x7Qp2mVtR9kLwZ4nB8yHcJ1fGd3sEa6uToXvMiNqPbKr5lWzY0hCgFjD7tSeU2aOIp9xVnBm4kRq3LwZ8yHc6J1fGd5sEa0uToXvMiNqPbKrQlWzY7hCgFjD2tSeU9aOIp4xVnBmRkq8LwZ3yHcJ6fGd1sEa5uToX0MiNqPbKr7lWzYQhCgFjD4tSeU8aOIp`,
  Log: `[2026-02-11T08:14:55.102Z] INFO  http-server req_8f3kq2 POST /v1/chat/completions 200 1423ms
[2026-02-11T08:14:55.410Z] WARN  supplier-client req_8f3kr0 retrying after ECONNRESET (attempt 2 of 3) host=10.24.7.118:443
[2026-02-11T08:14:56.007Z] ERROR journal write failed: ENOSPC: no space left on device, write '/var/lib/app/journal/000417.log'
    at FileHandle.write (node:internal/fs/promises:812:12)
    at async Journal.append (/srv/app/src/journal.ts:88:5)
`,
}
