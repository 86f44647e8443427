/** The headers of a response; names are in lower case. */
export interface HeaderFields {
  get(name: string): string | null
  has(name: string): boolean
  forEach(visit: FieldVisit): void
  /** Visits only headers whose names contain this, without decoding the other names. */
  forEachNamed?(part: string, visit: FieldVisit): void
}

export type FieldVisit = (value: string, name: string) => void

export type ReadResult =
  | { readonly done: false; readonly value: Uint8Array }
  | { readonly done: true; readonly value?: Uint8Array | undefined }

export interface ByteReader {
  read(): Promise<ReadResult>
  /** Aborts the response. */
  cancel(reason?: unknown): Promise<void>
}

/** Who takes the pieces of a body as they arrive. Neither method may throw. */
export interface PieceReceiver {
  /** False when it has no use for the piece now, which then waits for `readNow`. */
  receive(piece: Uint8Array): boolean
  /** The body has ended, or was lost, after what still waits. */
  noteEnd(): void
}

/** A reader that hands pieces over. Who waits for each with a promise makes garbage that lives until it arrives. */
export interface PushingReader extends ByteReader {
  handTo(receiver: PieceReceiver): void
  /** What waits, or `end`; null when nothing does. Throws when the connection was lost. */
  readNow(): Uint8Array | 'end' | null
}

export function handsOver<Reader extends Pick<ByteReader, 'read'>>(
  reader: Reader,
): reader is Reader & PushingReader {
  return 'handTo' in reader
}

export interface AnswerBytes {
  getReader(): ByteReader
  cancel(reason?: unknown): Promise<void>
}

/** The part of `Response` that we use, so that our own client can return something lighter. */
export interface HttpAnswer {
  readonly status: number
  /** Whether the status is 2xx. */
  readonly ok: boolean
  readonly headers: HeaderFields
  readonly body: AnswerBytes | null
  text(): Promise<string>
  /** The text if the whole body has arrived; null when you have to await `text`. */
  textNow?(): string | null
}

/** Converts an answer to a `Response`. */
export function asResponse(answer: HttpAnswer): Response {
  if (answer instanceof Response) return answer
  const headers = new Headers()
  answer.headers.forEach((value, name) => {
    headers.append(name, value)
  })
  return new Response(asStream(answer.body), { status: answer.status, headers })
}

function asStream(body: AnswerBytes | null): ReadableStream<Uint8Array> | null {
  if (body === null) return null
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead, so that the reader sets the supplier's pace.
    { highWaterMark: 0 },
  )
}

/** An answer that has begun but arrives too slowly. */
export class SlowAnswer extends Error {
  override readonly name = 'SlowAnswer'
}
