/** The fields of a response's head; names are written in lower case. */
export interface HeaderFields {
  get(name: string): string | null
  has(name: string): boolean
  forEach(visit: FieldVisit): void
  /** Visits only the fields with this in their names, where that can be had without making names of all the others. */
  forEachNamed?(part: string, visit: FieldVisit): void
}

export type FieldVisit = (value: string, name: string) => void

export type ReadResult =
  | { readonly done: false; readonly value: Uint8Array }
  | { readonly done: true; readonly value?: Uint8Array | undefined }

export interface ByteReader {
  read(): Promise<ReadResult>
  /** Ends the response; nothing more of it is wanted. */
  cancel(reason?: unknown): Promise<void>
}

export interface AnswerBytes {
  getReader(): ByteReader
  cancel(reason?: unknown): Promise<void>
}

/** What is needed of a response. `Response` is one, and so is what a client with less to carry gives. */
export interface HttpAnswer {
  readonly status: number
  /** Whether the status is one of success. */
  readonly ok: boolean
  readonly headers: HeaderFields
  readonly body: AnswerBytes | null
  text(): Promise<string>
  /** The text, where all of it is there already; null when `text` has to be waited for. */
  textNow?(): string | null
}

/** For whoever needs a `Response` and nothing less. */
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
    // Nothing is read ahead: the pace of whoever reads is the supplier's.
    { highWaterMark: 0 },
  )
}

/** An answer that has begun and comes too slowly to be waited for. */
export class SlowAnswer extends Error {
  override readonly name = 'SlowAnswer'
}
