import { GatewayError } from '../../errors/gateway-error.ts'
import { asObject, asText, type JsonObject, tryParseJson } from '../../wire/json-values.ts'
import { readSseEvent, SseFramer } from '../../wire/sse-events.ts'
import type { BackgroundEvents, BackgroundRules } from '../state-rules.ts'
import { beginResponse } from './reply/response-writer.ts'
import type { ResponsesRequest } from './schema.ts'
import { failedResponse, frameOf } from './stream/encode-stream.ts'

/** How responses are made in the background. */
export const background: BackgroundRules = {
  isWanted,
  streamed: (body) => {
    const known = asObject(body) ?? {}
    return known.stream === true ? null : { ...known, stream: true }
  },
  queued: (body, facts) => ({
    ...beginResponse(body as ResponsesRequest, {
      model: asText(asObject(body)?.model) ?? '',
      createdAtMs: facts.createdAtMs,
      newId: () => facts.id,
    }),
    status: 'queued',
    background: true,
  }),
  isBackground: (reply) => asObject(reply)?.background === true,
  // A supplier may call a reply unfinished that it gave as a whole.
  isUnfinished: (reply) => asObject(reply)?.background === true && UNFINISHED.has(asObject(reply)?.status),
  withStatus: (reply, status) => ({ ...asObject(reply), status }),
  endOf: (reply) => {
    const status = asObject(reply)?.status
    return status === 'completed' || status === 'incomplete' ? status : 'failed'
  },
  failed: (reply, error) => failedResponse(asObject(reply) ?? {}, error),
  openEvents: (queued) => new NumberedEvents(asObject(queued) ?? {}),
  lastFrame,
}

const UNFINISHED: ReadonlySet<unknown> = new Set(['queued', 'in_progress'])

function isWanted(body: unknown): boolean {
  const known = asObject(body)
  if (known?.background !== true) return false
  if (known.store === false) {
    throw new GatewayError('invalid_request', 'A background response requires store to be true.', {
      param: 'background',
    })
  }
  return true
}

// No event of this format tells of a cancelled response, and clients wait for one that they know.
const LAST_EVENTS: Readonly<Record<string, string>> = {
  completed: 'response.completed',
  failed: 'response.failed',
}

function lastFrame(reply: unknown, number: number): string {
  const response = asObject(reply) ?? {}
  const type = LAST_EVENTS[asText(response.status) ?? ''] ?? 'response.incomplete'
  return frameOf(type, number, { response })
}

/**
 * The events of a stream as clients get them: with the id that the client has known since the response was queued, and
 * numbered from the first one. The last event is left out: it is written from the stored response.
 */
class NumberedEvents implements BackgroundEvents {
  final: JsonObject | null = null
  /** Members of the response that the supplier does not know. */
  readonly #own: JsonObject
  readonly #framer = new SseFramer()
  #next: number

  constructor(queued: JsonObject) {
    const { id, created, created_at, previous_response_id } = queued
    this.#own = { id, created, created_at, previous_response_id, background: true, store: true }
    this.beginning = [
      frameOf('response.created', 0, { response: queued }),
      frameOf('response.queued', 1, { response: queued }),
    ]
    this.#next = this.beginning.length
  }

  readonly beginning: readonly string[]

  push(bytes: Uint8Array): readonly string[] {
    const framed = this.#framer.push(bytes)
    if (framed === null) return []
    const frames: string[] = []
    let start = 0
    for (const end of framed.ends) {
      const frame = this.#read(framed.bytes.subarray(start, end))
      if (frame !== null) frames.push(frame)
      start = end
    }
    return frames
  }

  #read(bytes: Uint8Array): string | null {
    const { data } = readSseEvent(bytes)
    const event = data === null ? null : asObject(tryParseJson(data))
    if (event === null || this.final !== null) return null
    const type = asText(event.type) ?? ''
    const response = asObject(event.response)
    const owned = response === null ? {} : { response: { ...response, ...this.#own } }
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'error':
        return null
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.final = { ...response, ...this.#own }
        return null
      default: {
        const { type: _type, sequence_number: _number, ...fields } = event
        return frameOf(type, this.#next++, { ...fields, ...owned })
      }
    }
  }
}
