import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import { asArray, asObject, type JsonObject } from '../../../wire/json-values.ts'
import { closeLastEvent, type FramedEvents, SseFramer, siftEvents } from '../../../wire/sse-events.ts'
import { decodeErrorEvent } from '../../error-body.ts'
import type { StreamTap } from '../../protocol.ts'
import { readSupplierEvent } from '../../supplier-event.ts'
import { encodeUsage } from '../../token-details.ts'
import type { StreamEncoder } from '../../translation.ts'

interface FoldedChoice {
  readonly message: Record<string, unknown>
  readonly rest: Record<string, unknown>
}

/** Makes one chat completion of the chunks of a stream. */
export class ChunkFolder {
  readonly #framer = new SseFramer()
  readonly #choices = new Map<number, FoldedChoice>()
  #members: Record<string, unknown> | null = null

  /** The completion so far; null before the first chunk. */
  get completion(): JsonObject | null {
    if (this.#members === null) return null
    const choices = [...this.#choices].sort(([one], [other]) => one - other)
    return {
      ...this.#members,
      object: 'chat.completion',
      choices: choices.map(([index, { message, rest }]) => ({
        index,
        logprobs: null,
        ...rest,
        message: { role: 'assistant', content: null, refusal: null, ...message },
      })),
    }
  }

  push(bytes: Uint8Array): void {
    const framed = this.#framer.push(bytes)
    if (framed !== null) this.#read(framed)
  }

  end(): void {
    const rest = this.#framer.finish()
    const last = rest === null ? null : closeLastEvent(rest)
    if (last !== null) this.#read(last)
  }

  addUsage(usage: JsonObject): void {
    if (this.#members !== null) this.#members.usage = usage
  }

  #read(framed: FramedEvents): void {
    siftEvents(framed, (bytes, start, end) => {
      const event = readSupplierEvent(bytes.subarray(start, end), decodeErrorEvent)
      if (event.type === 'object') this.#add(event.value)
      return 'forward'
    })
  }

  #add({ choices, obfuscation: _padding, ...members }: JsonObject): void {
    this.#members ??= {}
    for (const [name, value] of Object.entries(members)) {
      if (value !== null || !(name in this.#members)) this.#members[name] = value
    }
    for (const item of asArray(choices)) this.#addChoice(asObject(item) ?? {})
  }

  #addChoice({ index, delta, ...rest }: JsonObject): void {
    const place = typeof index === 'number' ? index : 0
    const choice = this.#choices.get(place) ?? { message: {}, rest: {} }
    this.#choices.set(place, choice)
    merge(choice.rest, rest)
    merge(choice.message, asObject(delta) ?? {})
  }
}

// These are sent whole, some of them with every chunk.
const WHOLE: ReadonlySet<string> = new Set(['role', 'id', 'type', 'index', 'finish_reason'])

/** Adds the members of a delta: texts are continued, lists with indexes are merged, other lists are joined. */
function merge(target: Record<string, unknown>, delta: JsonObject): void {
  for (const [name, value] of Object.entries(delta)) {
    const before = target[name]
    if (value === null || value === undefined) target[name] ??= null
    else if (before === undefined || before === null || WHOLE.has(name)) target[name] = fresh(value)
    else if (typeof before === 'string' && typeof value === 'string') target[name] = before + value
    else if (Array.isArray(before) && Array.isArray(value)) mergeLists(before, value)
    else if (asObject(before) !== null && asObject(value) !== null) {
      merge(before as Record<string, unknown>, asObject(value) ?? {})
    } else target[name] = value
  }
}

function fresh(value: unknown): unknown {
  if (!Array.isArray(value)) return asObject(value) === null ? value : { ...(value as object) }
  const list: unknown[] = []
  mergeLists(list, value)
  return list
}

function mergeLists(target: unknown[], added: readonly unknown[]): void {
  for (const entry of added) {
    const index = asObject(entry)?.index
    if (typeof index !== 'number') target.push(entry)
    else {
      const { index: _place, ...rest } = asObject(entry) ?? {}
      const known = target[index]
      if (asObject(known) !== null) merge(known as Record<string, unknown>, rest)
      else if (index <= target.length) {
        const made: Record<string, unknown> = {}
        merge(made, rest)
        target[index] = made
      }
    }
  }
}

/** A tap that also folds what the supplier sends, for a completion that is stored. */
export class FoldingTap implements StreamTap {
  readonly #tap: StreamTap
  readonly #folder = new ChunkFolder()

  constructor(tap: StreamTap) {
    this.#tap = tap
  }

  push(bytes: Uint8Array): Uint8Array | null {
    this.#folder.push(bytes)
    return this.#tap.push(bytes)
  }

  end(): Uint8Array | null {
    this.#folder.end()
    return this.#tap.end()
  }

  get finalReply(): unknown {
    return this.#folder.completion
  }

  get hasContent() {
    return this.#tap.hasContent
  }

  get isTerminated() {
    return this.#tap.isTerminated
  }

  get isComplete() {
    return this.#tap.isComplete
  }

  get failure() {
    return this.#tap.failure
  }

  get usage() {
    return this.#tap.usage
  }

  get outputCharacters() {
    return this.#tap.outputCharacters
  }

  fail(error: GatewayError, isEndWithheld?: boolean): string {
    return this.#tap.fail(error, isEndWithheld)
  }
}

/** An encoder that also folds what it writes. */
export class FoldingEncoder implements StreamEncoder {
  readonly #encoder: StreamEncoder
  readonly #folder = new ChunkFolder()

  constructor(encoder: StreamEncoder) {
    this.#encoder = encoder
  }

  push(event: AnswerEvent): string {
    const frames = this.#encoder.push(event)
    if (frames !== '') this.#folder.push(Buffer.from(frames))
    // It is not in a stream whose client did not ask for it.
    if (event.type === 'usage') this.#folder.addUsage({ ...encodeUsage(event.usage) })
    return frames
  }

  fail(error: GatewayError, isEndWithheld?: boolean): string {
    return this.#encoder.fail(error, isEndWithheld)
  }

  get finalReply(): unknown {
    return this.#folder.completion
  }
}
