import type { AnswerEvent } from '../../src/conversation/answer-event.ts'
import { fold, unfold } from '../../src/conversation/fold.ts'
import type { Usage } from '../../src/conversation/usage.ts'
import { GatewayError } from '../../src/errors/gateway-error.ts'
import { PROTOCOLS } from '../../src/protocols/index.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import type { ClientSide } from '../../src/protocols/translation.ts'
import { tryParseJson } from '../../src/wire/json-values.ts'
import { parseJson } from '../../src/wire/parse-json.ts'
import { replyContext, supplyContext } from '../support/translation-contexts.ts'
import type { Corpus, Entry } from './corpus.ts'
import { cut } from './mutate-bytes.ts'
import type { Random } from './random.ts'

/** What a decoder is tried with besides the bytes. */
export interface Trial {
  readonly protocol: Protocol
  readonly corpus: Corpus
  /** The clients of every format: what was decoded must be tellable to each. */
  readonly clients: readonly ClientSide[]
  readonly random: Random
}

export interface Decoder {
  readonly name: string
  entriesOf(corpus: Corpus): readonly Entry[]
  /** Whether the bytes were taken for what they claim to be. Throws when something broke. */
  feed(bytes: Buffer, trial: Trial): boolean
}

const REFUSAL = new GatewayError('provider_error', 'The supplier failed.')

/** A request may be refused, but only with an error meant for the client. */
function isTaken(read: () => void): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof GatewayError) return false
    throw error
  }
}

function must(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what)
}

/** What is passed on with a change must still be JSON. */
function mustParse(text: string): void {
  JSON.parse(text)
}

/** Figures end up in money, so a decoder gives whole ones or none. */
function checkUsage(usage: Usage | null): void {
  const { details = {}, ...counts } = usage ?? {}
  const parts = Object.values(details).filter((part) => typeof part === 'number')
  for (const count of [...Object.values(counts), ...parts])
    must(Number.isSafeInteger(count) && count >= 0, `a count is ${count}`)
}

const requests: Decoder = {
  name: 'request',
  entriesOf: ({ requests }) => requests,
  feed: (bytes, { protocol, corpus, random }) =>
    isTaken(() => {
      const text = bytes.toString()
      const body = parseJson(text)
      const own = protocol.state?.resolve(body, new Map()) ?? body
      const request = protocol.readRequest(own, text, random.pick(corpus.addresses))
      must(
        request.facts.promptCharacters >= 0 && request.facts.mediaParts >= 0,
        'a prompt has a negative size',
      )
      mustParse(request.relayBody('upstream-1').join(''))
      const { supplier } = random.pick(PROTOCOLS)
      const conversation = request.client.decode()
      JSON.stringify(supplier.encodeRequest(conversation, supplyContext({}, supplier.traits)).body)
    }),
}

const counts: Decoder = {
  name: 'count',
  entriesOf: ({ counts }) => counts,
  feed: (bytes, { protocol, corpus }) =>
    isTaken(() => {
      const text = bytes.toString()
      const count = protocol.tokenCounting?.read(parseJson(text), text, corpus.countAddress)
      must(count !== undefined && count.facts.promptCharacters >= 0, 'a prompt has a negative size')
      mustParse(count?.relayBody('upstream-1').join('') ?? '')
    }),
}

const replyFacts: Decoder = {
  name: 'reply facts',
  entriesOf: ({ replies }) => replies,
  feed: (bytes, { protocol }) => {
    const text = bytes.toString()
    const reply = tryParseJson(text)
    protocol.tokenCounting?.decode(reply)
    const facts = protocol.readReply(reply)
    if (facts === null) return false
    checkUsage(facts.usage)
    must(facts.outputCharacters >= 0, 'an answer has a negative size')
    const patched = protocol.patchReply?.(text, reply) ?? text
    if (patched !== text) mustParse(patched)
    return true
  },
}

const replies: Decoder = {
  name: 'reply',
  entriesOf: ({ replies }) => replies,
  feed: (bytes, { protocol, clients, random }) => {
    const context = supplyContext({}, protocol.supplier.traits)
    const answer = protocol.supplier.decodeReply(tryParseJson(bytes.toString()), context)
    if (answer === null) return false
    checkUsage(answer.usage)
    const client = random.pick(clients)
    JSON.stringify(client.encodeReply(answer, replyContext()))
    tell(client, unfold(answer))
    return true
  },
}

function tell(client: ClientSide, events: readonly AnswerEvent[]): void {
  const encoder = client.openEncoder(replyContext())
  for (const event of events) encoder.push(event)
  if (events.at(-1)?.type !== 'answer-end') encoder.fail(REFUSAL)
}

const errors: Decoder = {
  name: 'error',
  entriesOf: ({ errors }) => errors,
  feed: (bytes, { protocol, random }) => {
    const failure = protocol.decodeError(400 + random.below(200), bytes.toString())
    must(typeof failure.message === 'string', 'a failure has no message')
    return failure.kind === 'input'
  },
}

const streams: Decoder = {
  name: 'stream',
  entriesOf: ({ streams }) => streams,
  feed: (bytes, { protocol, clients, random }) => {
    const decoder = protocol.supplier.openDecoder(supplyContext({}, protocol.supplier.traits))
    const events = cut(bytes, random).flatMap((piece) => decoder.push(piece))
    for (const event of decoder.end()) events.push(event)
    const isWhole = events.at(-1)?.type === 'answer-end'
    must(isWhole === (decoder.failure === null), 'a stream neither ended nor failed, or did both')
    for (const event of events) if (event.type === 'usage') checkUsage(event.usage)
    tell(random.pick(clients), events)
    fold(events)
    return isWhole
  },
}

const taps: Decoder = {
  name: 'tap',
  entriesOf: ({ streams }) => streams,
  feed: (bytes, { corpus, random }) => {
    const tap = random.pick(corpus.wellFormed).openTap()
    for (const piece of cut(bytes, random)) tap.push(piece)
    tap.end()
    checkUsage(tap.usage)
    must(tap.outputCharacters >= 0, 'an answer has a negative size')
    tap.fail(REFUSAL)
    return tap.failure === null && tap.isComplete
  },
}

export const DECODERS: readonly Decoder[] = [requests, counts, replyFacts, replies, errors, streams, taps]
