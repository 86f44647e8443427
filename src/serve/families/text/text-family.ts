import { textDensity } from '../../../conversation/token-estimate.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { BodyRecorder } from '../../../manage/ports/console.ts'
import type { ClientRequest, Protocol, RequestAddress } from '../../../protocols/protocol.ts'
import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import { parseJson } from '../../../wire/parse-json.ts'
import { availableModel, modelNotFound } from '../../admission/find-model.ts'
import {
  type Caller,
  fitTarget,
  type IncomingRequest,
  isBounded,
  nameOf,
  type Target,
} from '../../admission/prepared-request.ts'
import type { Exchange } from '../../ports/exchange.ts'
import { prepareBackground } from '../../state/background/background-start.ts'
import { continueFrom, resolveReferences, type StateParts } from '../../state/reply-state.ts'
import { type ChatParts, chatKeeper } from '../../state/stored-chats.ts'
import { LARGE_BODY_CHARACTERS, yieldLoop } from '../../yield-loop.ts'
import type { Family } from '../family.ts'
import { cannot } from '../kinds.ts'
import { planText } from './compact-plan.ts'
import { readCompacted } from './compact-read.ts'
import { chooseLane } from './lanes/plan-lane.ts'
import type { PreparedText, ReadText } from './prepared-text.ts'
import { writeBody } from './write-body.ts'

/** Text generation for clients of one wire format. */
export class TextFamily implements Family<string, ReadText, PreparedText> {
  readonly protocol: Protocol
  readonly plan = planText

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
    if (text.length > LARGE_BODY_CHARACTERS) {
      const parts = { caller, gateway, requestId: exchange.requestId }
      return readLarge({ text, body, bodies, tokensPerCharacter }, { protocol, address, parts })
    }
    const request = protocol.readRequest(body, text, address)
    if (request.storing === undefined) return { request, bodyText: text, body, tokensPerCharacter, bodies }
    const parts = { caller, gateway, requestId: exchange.requestId, bodyBytes: text.length }
    const keepReply = chatKeeper(request.storing, parts)
    return { request, bodyText: text, body, tokensPerCharacter, keepReply, bodies }
  }

  modelOf({ request }: ReadText): string {
    return request.facts.model
  }

  prepare(read: ReadText, caller: Caller, exchange: Exchange): PreparedText {
    const { protocol } = this
    const { request, tokensPerCharacter, keepReply, background, bodies, supplier, compaction } = read
    const found = availableModel(caller, request.facts.model)
    const target = fitTarget(found, (step) => this.#fit(step, request, supplier ?? null))
    const answered = {
      exchange: background === undefined ? exchange : background.exchange,
      protocol,
      caller,
      request,
      bodyText: read.bodyText,
      body: read.body,
      tokensPerCharacter,
      target,
      keepReply,
      background,
      bodies,
    }
    return compaction === undefined ? answered : { ...answered, compaction, isCompaction: true }
  }

  /** Those of its routes that can serve the request. */
  #fit(found: Target, request: ClientRequest, supplier: string | null): Target {
    const { protocol } = this
    let target = found
    if (supplier !== null) target = onlyAt(supplier, target)
    if (!target.model.kinds.includes('text')) throw cannot(target, 'text')
    if (protocol.relayCapability !== undefined) target = withCapability(target, protocol)
    // Nearly always, every route has a lane.
    for (const route of target.routes) {
      if (chooseLane(protocol, request, route) === null) return withLanes(target, protocol, request)
    }
    return target
  }
}

/** The routes of the supplier that made a compaction item: no other can read it. */
function onlyAt(supplier: string, target: Target): Target {
  const readers = target.routes.filter((route) => route.supplier.id === supplier)
  if (readers.length > 0) return { ...target, routes: readers }
  const message = `The input has a compaction item of a supplier that does not serve ${JSON.stringify(nameOf(target))} here, and no other supplier can read it. Compact the conversation again with this model.`
  throw new GatewayError('invalid_request', message, { param: 'input' })
}

function withLanes(target: Target, protocol: Protocol, request: ClientRequest): Target {
  const usable = target.routes.filter((route) => chooseLane(protocol, request, route) !== null)
  if (usable.length > 0) return { ...target, routes: usable }
  throw request.elsewhere instanceof GatewayError ? request.elsewhere : modelNotFound(nameOf(target))
}

/** Most models refuse requests of some formats, so they are asked in the other formats of their suppliers. */
function withCapability(target: Target, { name, relayCapability = '' }: Protocol): Target {
  const { model, routes } = target
  if (model.capabilities[relayCapability] === true) return target
  const others = routes.map((route) => ({
    ...route,
    formats: route.formats.filter((format) => format !== name),
  }))
  return { ...target, routes: others }
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
  { protocol, address, parts }: Format & { readonly parts: Omit<ChatParts, 'bodyBytes'> },
): Promise<ReadText> {
  await yieldLoop()
  const request = protocol.readRequest(body, text, address)
  await yieldLoop()
  const { storing } = request
  const keepReply = storing && chatKeeper(storing, { ...parts, bodyBytes: text.length })
  return { request, bodyText: text, body, tokensPerCharacter, keepReply, bodies }
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
  const own = whole === resolved ? { request, bodyText: ownText, body: whole } : null
  const read = await readExpanded(whole, own, { protocol, address, state, keepReply, bodies })
  if (!isBackground || keepReply === undefined) return read
  const background = prepareBackground({
    ...state,
    exchange,
    body: resolved,
    textLength: read.bodyText.length,
    isStreamed: streamed === null,
    heartbeat: protocol.heartbeat ?? '',
    save: keepReply,
  })
  return { ...read, keepReply: undefined, background }
}

type WholeText = Pick<ReadText, 'request' | 'bodyText' | 'body'>

interface Expanded extends Pick<ReadText, 'keepReply' | 'bodies'>, Format {
  readonly state: StateParts
}

/** Reads the whole conversation; `own` is what was read already when there is no more than that. */
async function readExpanded(whole: unknown, own: WholeText | null, parts: Expanded): Promise<ReadText> {
  const { protocol, state, keepReply, bodies } = parts
  const rules = protocol.compaction
  if (rules?.isConcerned(whole)) return readCompacted(whole, { ...parts, rules })
  const tokensPerCharacter = isBounded(state.caller) ? textDensity(whole) : null
  return { ...(own ?? (await readWhole(whole, parts))), tokensPerCharacter, keepReply, bodies }
}

/** Reads a body again that an earlier conversation was added to. */
async function readWhole(whole: unknown, { protocol, address }: Format): Promise<WholeText> {
  const wholeText = writeBody(whole)
  // Writing a long history takes time, and so does reading it.
  const isLarge = wholeText.length > LARGE_BODY_CHARACTERS
  if (isLarge) await yieldLoop()
  const continued = protocol.readRequest(whole, wholeText, address)
  if (isLarge) await yieldLoop()
  return { request: continued, bodyText: wholeText, body: whole }
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
