import { textDensity } from '../../../conversation/token-estimate.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { BodyRecorder } from '../../../manage/ports/console.ts'
import type { ClientRequest, Protocol, RequestAddress } from '../../../protocols/protocol.ts'
import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import type { Model } from '../../../vocabulary/supply.ts'
import { parseJson } from '../../../wire/parse-json.ts'
import { availableModel, modelNotFound } from '../../admission/find-model.ts'
import {
  type BackgroundStart,
  type Caller,
  type IncomingRequest,
  isBounded,
  type KeepReply,
  type Target,
} from '../../admission/prepared-request.ts'
import type { Exchange } from '../../ports/exchange.ts'
import { prepareBackground } from '../../state/background-start.ts'
import { continueFrom, resolveReferences, type StateParts } from '../../state/reply-state.ts'
import { LARGE_BODY_CHARACTERS, yieldLoop } from '../../yield-loop.ts'
import type { Family } from '../family.ts'
import { chooseLane, planLane } from './lanes/plan-lane.ts'
import type { PreparedText } from './prepared-text.ts'

/** A text request whose body has been read. */
interface ReadText {
  readonly request: ClientRequest
  /** The whole body, including the conversation that it continues. */
  readonly bodyText: string
  readonly tokensPerCharacter: number | null
  readonly keepReply?: KeepReply | undefined
  readonly background?: BackgroundStart | undefined
  readonly bodies: BodyRecorder | null
}

/** Text generation for clients of one wire format. */
export class TextFamily implements Family<string, ReadText, PreparedText> {
  readonly protocol: Protocol
  readonly plan = planLane

  constructor(protocol: Protocol) {
    this.protocol = protocol
  }

  receive(exchange: Exchange): MaybePromise<string> {
    return exchange.readText()
  }

  /**
   * Parses the body once; every later step uses what is read here. Waits only for large bodies, and in formats whose
   * requests may refer to stored replies.
   */
  read(text: string, caller: Caller, { exchange, gateway }: IncomingRequest): MaybePromise<ReadText> {
    const { protocol } = this
    const body = parseJson(text)
    const bodies = gateway.bodies.begin(caller.account.id, text)
    const address = new ExchangeAddress(exchange)
    if (protocol.state !== undefined) {
      const state = { rules: protocol.state, caller, gateway, requestId: exchange.requestId }
      return readContinued({ text, body, bodies }, { protocol, address, state, exchange })
    }
    const tokensPerCharacter = isBounded(caller) ? textDensity(body) : null
    if (text.length > LARGE_BODY_CHARACTERS)
      return readLarge({ text, body, bodies, tokensPerCharacter }, { protocol, address })
    const request = protocol.readRequest(body, text, address)
    return { request, bodyText: text, tokensPerCharacter, bodies }
  }

  prepare(read: ReadText, caller: Caller, exchange: Exchange): PreparedText {
    const { protocol } = this
    const { request, bodyText, tokensPerCharacter, keepReply, background, bodies } = read
    let target = availableModel(caller, request.facts.model)
    if (!target.model.kinds.includes('text')) throw notForText(target.model)
    // Nearly always, every route has a lane.
    for (const route of target.routes) {
      if (chooseLane(protocol, request, route) !== null) continue
      target = withLanes(target, protocol, request)
      break
    }
    return {
      exchange: background === undefined ? exchange : background.exchange,
      protocol,
      caller,
      request,
      bodyText,
      tokensPerCharacter,
      target,
      keepReply,
      background,
      bodies,
    }
  }
}

function withLanes({ model, routes }: Target, protocol: Protocol, request: ClientRequest): Target {
  const usable = routes.filter((route) => chooseLane(protocol, request, route) !== null)
  if (usable.length === 0) throw modelNotFound(model.id)
  return { model, routes: usable }
}

function notForText({ id, kinds }: Model): GatewayError {
  const paths = { image: 'POST /v1/images/generations', 'image-edit': 'POST /v1/images/edits', text: null }
  const places = kinds.flatMap((kind) => paths[kind] ?? []).join(' or ')
  const message = `The model ${JSON.stringify(id)} generates images and does not answer with text; call ${places} instead.`
  return new GatewayError('invalid_request', message, { param: 'model' })
}

interface ParsedBody {
  readonly text: string
  readonly body: unknown
  readonly bodies: BodyRecorder | null
}

interface Format {
  readonly protocol: Protocol
  readonly address: RequestAddress
}

/** Other requests get their turn before a large body is checked, and again after it. */
async function readLarge(
  { text, body, bodies, tokensPerCharacter }: ParsedBody & Pick<ReadText, 'tokensPerCharacter'>,
  { protocol, address }: Format,
): Promise<ReadText> {
  await yieldLoop()
  const request = protocol.readRequest(body, text, address)
  await yieldLoop()
  return { request, bodyText: text, tokensPerCharacter, bodies }
}

interface StatefulFormat extends Format {
  readonly state: StateParts
  readonly exchange: Exchange
}

async function readContinued(
  { text, body, bodies }: ParsedBody,
  { protocol, address, state, exchange }: StatefulFormat,
): Promise<ReadText> {
  if (text.length > LARGE_BODY_CHARACTERS) await yieldLoop()
  const isBackground = state.rules.background.isWanted(body)
  const references = await resolveReferences(body, state)
  const streamed = isBackground ? state.rules.background.streamed(references) : null
  const resolved = streamed ?? references
  // An error in the client's own body names a place in that body, not in the longer one that it is expanded to.
  const ownText = resolved === body ? text : writeBody(resolved)
  const request = protocol.readRequest(resolved, ownText, address)
  if (ownText.length > LARGE_BODY_CHARACTERS) await yieldLoop()
  const { body: whole, keepReply } = await continueFrom(resolved, text.length, state)
  const tokensPerCharacter = isBounded(state.caller) ? textDensity(whole) : null
  const read = whole === resolved ? null : await readWhole(whole, { protocol, address })
  const complete = read === null ? request : read.request
  const bodyText = read === null ? ownText : read.bodyText
  if (!isBackground || keepReply === undefined)
    return { request: complete, bodyText, tokensPerCharacter, keepReply, bodies }
  const background = prepareBackground({
    ...state,
    exchange,
    body: resolved,
    textLength: bodyText.length,
    isStreamed: streamed === null,
    heartbeat: protocol.heartbeat ?? '',
    save: keepReply,
  })
  return { request: complete, bodyText, tokensPerCharacter, background, bodies }
}

/** Reads a body again that an earlier conversation was added to. */
async function readWhole(
  whole: unknown,
  { protocol, address }: Format,
): Promise<Pick<ReadText, 'request' | 'bodyText'>> {
  const wholeText = writeBody(whole)
  // Writing a long history takes time, and so does reading it.
  const isLarge = wholeText.length > LARGE_BODY_CHARACTERS
  if (isLarge) await yieldLoop()
  const continued = protocol.readRequest(whole, wholeText, address)
  if (isLarge) await yieldLoop()
  return { request: continued, bodyText: wholeText }
}

// A conversation grows with every reply that continues it, and it is sent in one piece.
const MAX_BODY_CHARACTERS = 64 * 1_024 * 1_024

function writeBody(body: unknown): string {
  const text = JSON.stringify(body)
  if (text.length <= MAX_BODY_CHARACTERS) return text
  throw new GatewayError('request_too_large', 'The conversation that this request continues is too long.')
}

/** The query is parsed only for formats that read it. */
export class ExchangeAddress implements RequestAddress {
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  get rest(): string {
    return this.#exchange.params['*'] ?? ''
  }

  get query(): URLSearchParams {
    return this.#exchange.query
  }
}
