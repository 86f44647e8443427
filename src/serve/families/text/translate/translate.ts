import type { Answer } from '../../../../conversation/answer.ts'
import type { Conversation } from '../../../../conversation/conversation.ts'
import { fold, unfold } from '../../../../conversation/fold.ts'
import { addUsage, type Usage } from '../../../../conversation/usage.ts'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { Protocol, StreamTap } from '../../../../protocols/protocol.ts'
import type {
  ClientSide,
  ReplyContext,
  SupplierSide,
  SupplyContext,
} from '../../../../protocols/translation.ts'
import { tryParseJson } from '../../../../wire/json-values.ts'
import { joinPieces, LEAST_PIECED } from '../../../../wire/pieced-body.ts'
import { LARGE_BODY_CHARACTERS, yieldLoop } from '../../../yield-loop.ts'
import type { LanePlan, WholeReply } from '../lanes/lane-plan.ts'
import { type AdaptedConversation, adaptTools } from './adapt-tools.ts'
import { countImages, countOutput, withUsage } from './estimate-usage.ts'
import { type FetchImageBytes, withImageBytes } from './image-bytes.ts'
import { droppedNames, refuseLosses, withoutProofs, withTextOf } from './losses.ts'
import { OutputPacer, PacedTap } from './paced-tap.ts'
import { ToolRestorer } from './restore-tools.ts'
import { type ParsedText, writeReusing } from './reuse-text.ts'
import { StopScanner } from './stop-scanner.ts'
import type { ThinkingMemory } from './thinking-memory.ts'
import { type EventStep, passThrough, TranslatingTap } from './translating-tap.ts'

/** Both sides of an answer: how it is read from the supplier and written for the client. */
export interface ReplySides {
  readonly client: ClientSide
  readonly supplier: SupplierSide
  readonly supply: SupplyContext
  readonly reply: ReplyContext
}

export interface TranslationParts extends ReplySides {
  readonly supplierProtocol: Protocol
  readonly accountId: string
  /** The client's own body. */
  readonly source: ParsedText
  readonly memory: ThinkingMemory
  /** The estimate that clients see before the supplier has reported; the one in `reply` when absent. */
  readonly promptTokensOf?: (conversation: Conversation) => number
  readonly fetchImage: FetchImageBytes
  /** Refuse rather than leave anything out. */
  readonly isStrict: boolean
  /** Leave out what other suppliers have signed, since this one refused it. */
  readonly isProofless: boolean
  /** The longest answer that is paid for; null when the client's own limit applies. */
  readonly maxOutputTokens?: number | null
  readonly allowedTokens?: Retelling['allowedTokens']
}

/**
 * The lane between different formats: the request is decoded into the neutral conversation, fitted to what the
 * supplier takes, and encoded in its format; the answer comes back the same way. Between the steps on a large body
 * others get their turn.
 */
export async function planTranslation(parts: TranslationParts): Promise<LanePlan> {
  const { client, supplier, supply } = parts
  const isLarge = parts.source.text.length > LARGE_BODY_CHARACTERS
  const format = parts.supplierProtocol.name
  const decoded = withTextOf(withLowerLimit(client.decode(), parts.maxOutputTokens ?? null), format)
  if (isLarge) await yieldLoop()
  refuseLosses(decoded, format)
  const reply = { ...parts.reply, promptTokens: parts.promptTokensOf?.(decoded) ?? parts.reply.promptTokens }
  const wanted = await prepare(decoded, parts)
  const copies = copiesFor(wanted, supply)
  const adapted = adaptTools(fitToSupplier(wanted, copies, supply), supplier.toolRules)
  if (isLarge) await yieldLoop()
  const { body, dropped } = supplier.encodeRequest(adapted.conversation, supply)
  if (parts.isStrict && dropped.length > 0) throw wouldDrop(dropped)
  if (isLarge) await yieldLoop()
  const pieces = writeReusing(body, parts.source)
  const text = joinPieces(pieces)
  if (isLarge) await yieldLoop()
  return {
    supplierProtocol: parts.supplierProtocol,
    body: text,
    pieces: pieces.length > 1 && text.length >= LEAST_PIECED ? pieces : undefined,
    isStreamed: adapted.conversation.stream,
    copies,
    ...retell({
      ...parts,
      reply,
      isStreamed: wanted.stream,
      streamedChoices: wanted.choices,
      openSteps: (streamedChoices) => stepsFor({ ...parts, wanted, adapted }, streamedChoices),
    }),
    dropped: droppedNames(dropped),
  }
}

export interface Retelling extends ReplySides {
  /** Whether the client wants a stream. */
  readonly isStreamed: boolean
  readonly streamedChoices: number
  /** How many output tokens a stream may have before more is allowed; absent when nothing holds it back. */
  readonly allowedTokens?: (() => number) | undefined
  /** What to do to the answer on its way; `streamedChoices` is null when it is there as a whole. */
  openSteps(streamedChoices: number | null): EventStep[]
}

/** How an answer is read from the supplier and written for the client. */
export function retell(retelling: Retelling): Pick<LanePlan, 'openTap' | 'readWhole'> {
  return {
    openTap: () => openTap(retelling),
    readWhole: (replies) => readWhole(replies, retelling),
  }
}

function withLowerLimit(conversation: Conversation, maxOutputTokens: number | null): Conversation {
  return maxOutputTokens === null ? conversation : { ...conversation, maxOutputTokens }
}

async function prepare(decoded: Conversation, parts: TranslationParts): Promise<Conversation> {
  const remembered = parts.isProofless
    ? withoutProofs(decoded)
    : await parts.memory.restore(parts.accountId, decoded)
  if (parts.supply.traits.urlImages) return remembered
  return await withImageBytes(remembered, parts.fetchImage)
}

/** The conversation without what the gateway does itself for this supplier. */
function fitToSupplier(wanted: Conversation, copies: number, { traits }: SupplyContext): Conversation {
  const single = copies > 1 ? { ...wanted, choices: 1, stream: false } : wanted
  return traits.stop ? single : { ...single, stop: [] }
}

/** A supplier that returns fewer answers than requested is called once for each. */
function copiesFor(conversation: Conversation, { traits }: SupplyContext): number {
  return conversation.choices > traits.maxChoices ? conversation.choices : 1
}

interface Answering extends TranslationParts {
  /** What the client asked for. */
  readonly wanted: Conversation
  readonly adapted: AdaptedConversation
}

function openTap(retelling: Retelling): StreamTap {
  const { allowedTokens } = retelling
  const steps = retelling.openSteps(retelling.streamedChoices)
  const parts = {
    decoder: retelling.supplier.openDecoder(retelling.supply),
    steps,
    encoder: retelling.client.openEncoder(retelling.reply),
    promptTokens: retelling.reply.promptTokens,
  }
  if (allowedTokens === undefined) return new TranslatingTap(parts)
  const pacer = new OutputPacer(allowedTokens())
  return new PacedTap(new TranslatingTap({ ...parts, steps: [...steps, pacer] }), pacer)
}

function stepsFor(
  { adapted, wanted, supply, memory, accountId }: Answering,
  streamedChoices: number | null,
): EventStep[] {
  const steps: EventStep[] = [new ToolRestorer(adapted.names)]
  const { stop } = wanted
  if (!supply.traits.stop && stop.length > 0)
    steps.push(new StopScanner({ sequences: stop, streamedChoices }))
  steps.push(memory.watch(accountId, supply.traits.needsReasoningContent ? 'every' : 'signed'))
  return steps
}

function readWhole(replies: readonly string[], retelling: Retelling): WholeReply | null {
  const answers: Answer[] = []
  for (const text of replies) {
    const answer = retelling.supplier.decodeReply(tryParseJson(text), retelling.supply)
    if (answer === null) return null
    answers.push(answer)
  }
  const events = passThrough(unfold(mergeAnswers(answers)), retelling.openSteps(null))
  const answer = fold(events)
  const facts = factsOf(answer)
  const complete = withUsage(answer, retelling.reply.promptTokens)
  if (retelling.isStreamed) return { ...encodeFrames(complete, retelling), facts }
  const reply = retelling.client.encodeReply(complete, retelling.reply)
  return { body: JSON.stringify(reply), facts, reply }
}

function factsOf(answer: Answer): WholeReply['facts'] {
  return {
    usage: answer.usage,
    outputCharacters: countOutput(answer),
    inlineImages: countImages(answer),
  }
}

/** A whole reply in the client's format, as the stream that the client asked for. */
export function unfoldReply(text: string, parts: ReplySides): WholeReply | null {
  const answer = parts.supplier.decodeReply(tryParseJson(text), parts.supply)
  if (answer === null) return null
  const facts = factsOf(answer)
  return { ...encodeFrames(withUsage(answer, parts.reply.promptTokens), parts), facts }
}

export function encodeFrames(
  answer: Answer,
  { client, reply }: Pick<ReplySides, 'client' | 'reply'>,
): Pick<WholeReply, 'body' | 'reply'> {
  const encoder = client.openEncoder(reply)
  const body = unfold(answer)
    .map((event) => encoder.push(event))
    .join('')
  return { body, reply: encoder.finalReply }
}

function wouldDrop(dropped: readonly string[]): GatewayError {
  const message = `The supplier of this model cannot take: ${dropped.join(', ')}. Remove it, or send the request without x-gateway-strict.`
  return new GatewayError('unsupported_parameter', message, {
    ...(dropped[0] !== undefined && { param: dropped[0] }),
  })
}

/** Several answers to one question as the choices of one answer; what they used adds up. */
export function mergeAnswers(answers: readonly Answer[]): Answer {
  const [first] = answers
  if (first === undefined) return { id: '', choices: [], usage: null }
  if (answers.length === 1) return first
  const choices = answers.flatMap((answer, index) =>
    answer.choices.slice(0, 1).map((choice) => ({ ...choice, index })),
  )
  return { id: first.id, choices, usage: sumUsage(answers) }
}

/** null as soon as one is unknown: a sum with a gap would look exact. */
export function sumUsage(answers: readonly Pick<Answer, 'usage'>[]): Usage | null {
  let total: Usage | null = null
  for (const { usage } of answers) {
    if (usage === null) return null
    total = total === null ? usage : addUsage(total, usage)
  }
  return total
}
