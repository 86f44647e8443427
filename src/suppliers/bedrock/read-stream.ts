import { asObject, asText, tryParseJson } from '../../wire/json-values.ts'
import { exceptionOf, messagesError } from './exceptions.ts'
import { type Frame, FrameDecoder } from './frame-decoder.ts'

export const FRAMED_STREAM = 'application/vnd.amazon.eventstream'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A framed stream as the server-sent events it holds. Bytes that are no frames, or end within one, fail it. */
export function readStream(response: Response): Response {
  const headers = new Headers(response.headers)
  headers.set('content-type', 'text/event-stream')
  headers.delete('content-length')
  const body = response.body === null ? null : unframe(response.body)
  return new Response(body, { status: response.status, headers })
}

function unframe(framed: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = framed.getReader()
  const frames = new FrameDecoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const events = await readEvents(() => reader.read(), frames)
          if (events === null) controller.close()
          else controller.enqueue(encoder.encode(events))
        } catch (error) {
          // The error has the reason. A failure to cancel changes nothing.
          reader.cancel(error).catch(() => undefined)
          throw error
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead: the reader's pace is the supplier's.
    { highWaterMark: 0 },
  )
}

type Read = () => Promise<{ readonly value?: Uint8Array | undefined }>

/** The next events there are, null at the end. */
async function readEvents(read: Read, frames: FrameDecoder): Promise<string | null> {
  while (true) {
    const { value } = await read()
    if (value === undefined) {
      frames.end()
      return null
    }
    const events = frames.push(value).map(encodeEvent).join('')
    if (events !== '') return events
  }
}

/** The event a frame holds; empty for a frame that is none. */
function encodeEvent({ headers, payload }: Frame): string {
  switch (headers.get(':message-type')) {
    case 'event':
      return headers.get(':event-type') === 'chunk' ? encodeChunk(payload) : ''
    case 'exception': {
      const message = asText(asObject(tryParseJson(decoder.decode(payload)))?.message)
      return encodeException(headers.get(':exception-type'), message)
    }
    case 'error':
      return encodeException(headers.get(':error-code'), headers.get(':error-message') ?? null)
    default:
      throw new Error('the event stream has a frame of an unknown kind')
  }
}

function encodeChunk(payload: Uint8Array): string {
  const bytes = asText(asObject(tryParseJson(decoder.decode(payload)))?.bytes)
  const data = Buffer.from(bytes ?? '', 'base64').toString()
  const event = asObject(tryParseJson(data))
  const type = asText(event?.type)
  if (type === null || /[\r\n]/.test(type)) throw new Error('the event stream has a chunk that is no event')
  // A line break would end the event's line before its end.
  return `event: ${type}\ndata: ${/[\r\n]/.test(data) ? JSON.stringify(event) : data}\n\n`
}

function encodeException(name: string | undefined, message: string | null): string {
  const words = message ?? name ?? 'The stream was broken off.'
  const error = messagesError(exceptionOf(name ?? '', words) ?? { type: 'api_error' }, words)
  return `event: error\ndata: ${JSON.stringify(error)}\n\n`
}
