import { tryParseJson } from '../../../wire/json-values.ts'
import {
  type Choice,
  type Performance,
  type PerformanceUsage,
  readStep,
  type Step,
  type StepOf,
} from '../../performance/performance.ts'
import { countTokens, TOKENS_PER_MADE_IMAGE } from '../../performance/tokens.ts'
import { SandboxError } from '../../sandbox-error.ts'
import type { Seals } from '../../seals.ts'
import type { Frame } from '../face.ts'
import { signatureClaim, spellCall } from './history.ts'

/** What every object of one answer has in common. */
export interface AnswerHead {
  readonly number: number
  readonly model: string
  readonly seals: Seals
  readonly showsThoughts: boolean
  /** Only the newest models name their calls; with the others, order is all there is. */
  readonly namesCalls: boolean
}

const FINISH_REASONS = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  // This format tells calls from words by the parts alone.
  'tool-call': 'STOP',
  refusal: 'SAFETY',
} as const satisfies Record<Choice['finish'], string>

const SAFETY_RATINGS = [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }]

export function encodeReply({ choices, usage }: Performance, head: AnswerHead) {
  return {
    candidates: choices.map((choice, index) => encodeCandidate(encodeParts(choice, head), index, choice)),
    ...(usage === null ? {} : { usageMetadata: encodeUsage(usage) }),
    ...encodeTail(head),
  }
}

/** `choice` is null while the candidate goes on. */
function encodeCandidate(parts: readonly object[], index: number, choice: Choice | null) {
  return {
    ...(parts.length === 0 ? {} : { content: { role: 'model', parts } }),
    ...(choice === null ? {} : { finishReason: FINISH_REASONS[choice.finish] }),
    index,
    ...(choice?.finish === 'refusal' ? { safetyRatings: SAFETY_RATINGS } : {}),
  }
}

function encodeTail(head: AnswerHead) {
  return { modelVersion: head.model, responseId: `sandbox-${head.number}` }
}

function encodeParts({ steps, finish, image }: Choice, head: AnswerHead): readonly object[] {
  const spoken = steps.flatMap((step, position) => {
    const signature = signStep(step, { steps, position, head })
    return encodeStep(step, { position, head }).map((part) => ({ ...part, ...signature }))
  })
  const parts = [...spoken, ...encodeImage(image)]
  // An empty list would make clients forget the turn; a refusal has no content at all.
  return parts.length === 0 && finish !== 'refusal' ? [{ text: '' }] : parts
}

export function encodeImage(image: Choice['image']): readonly { inlineData: object }[] {
  if (image === undefined) return []
  return [{ inlineData: { mimeType: 'image/png', data: Buffer.from(image).toString('base64') } }]
}

interface StepPlace {
  readonly position: number
  readonly head: AnswerHead
}

function encodeStep(step: Step, place: StepPlace): readonly object[] {
  switch (step.type) {
    case 'think':
      return isShown(step, place.head) ? [{ text: readStep(step), thought: true }] : []
    case 'say':
      return [{ text: readStep(step) }]
    // A blocked candidate has no words.
    case 'refuse':
      return []
    case 'call':
      return encodeCall(step, place)
  }
}

function isShown(step: StepOf<'think'>, head: AnswerHead): boolean {
  return head.showsThoughts && step.isRedacted !== true
}

/** Calls come whole; one that was cut off in the middle of its arguments does not come at all. */
export function encodeCall(
  step: StepOf<'call'>,
  { position, head }: StepPlace,
): readonly { functionCall: object }[] {
  const args = tryParseJson(readStep(step))
  if (args === undefined) return []
  const id = head.namesCalls ? { id: `call_sandbox_${head.number}_${position}` } : {}
  return [{ functionCall: { ...id, name: step.tool, args } }]
}

/** What was thought before is vouched for on the thought itself, on the words, and on the first of several calls. */
function signStep(
  step: Step,
  { steps, position, head }: StepPlace & { readonly steps: readonly Step[] },
): { thoughtSignature?: string } {
  const before = steps.slice(0, position)
  const hasThought = step.type === 'think' || before.some((earlier) => earlier.type === 'think')
  if (!hasThought || before.some((earlier) => earlier.type === 'call')) return {}
  const { seals, model } = head
  switch (step.type) {
    case 'think':
      return { thoughtSignature: seals.seal(signatureClaim(model, 'thought'), readStep(step)) }
    case 'say':
      return { thoughtSignature: seals.seal(signatureClaim(model, 'text'), readStep(step)) }
    case 'call': {
      const call = spellCall(step.tool, tryParseJson(readStep(step)) ?? {})
      return { thoughtSignature: seals.seal(signatureClaim(model, 'call'), call) }
    }
    case 'refuse':
      return {}
  }
}

/** Thoughts are counted beside the candidates, cached tokens within the prompt. */
export function encodeUsage(usage: PerformanceUsage) {
  return {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output - usage.reasoning,
    totalTokenCount: usage.input + usage.output,
    ...(usage.cachedInput === 0 ? {} : { cachedContentTokenCount: usage.cachedInput }),
    ...(usage.reasoning === 0 ? {} : { thoughtsTokenCount: usage.reasoning }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.input }],
    ...encodeImageTokens(usage),
  }
}

function encodeImageTokens({ imageOutput = 0 }: PerformanceUsage) {
  if (imageOutput === 0) return {}
  return { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: imageOutput }] }
}

/** How chunks are put on the wire: as events, or as one list that is sent as it grows. */
interface ChunkWriter {
  readonly streamType: string
  writeChunk(chunk: unknown, sentFrames: number): string
  /** What closes the stream; empty when nothing does. */
  readonly end: string
}

export const EVENT_WRITER: ChunkWriter = {
  streamType: 'text/event-stream',
  writeChunk: (chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`,
  end: '',
}

export const LIST_WRITER: ChunkWriter = {
  streamType: 'application/json; charset=UTF-8',
  writeChunk: (chunk, sentFrames) => `${sentFrames === 0 ? '[' : ',\r\n'}${JSON.stringify(chunk)}`,
  end: ']',
}

export function* encodeFrames(
  performance: Performance,
  head: AnswerHead,
  writer: ChunkWriter,
): Generator<Frame> {
  let sent = 0
  for (const { part, chunk } of writeChunks(performance, head)) {
    yield { part, text: writer.writeChunk(chunk, sent) }
    sent += 1
  }
  if (writer.end !== '') yield { part: 'end', text: writer.end }
}

export function encodeErrorFrame(refusal: SandboxError, sentFrames: number, writer: ChunkWriter): string {
  return writer.writeChunk(encodeError(refusal), sentFrames) + writer.end
}

interface Chunk {
  readonly part: Frame['part']
  readonly chunk: object
}

function* writeChunks(performance: Performance, head: AnswerHead): Generator<Chunk> {
  const { choices, usage } = performance
  const tail = encodeTail(head)
  const countSoFar = createMeter(performance)
  for (const [index, choice] of choices.entries()) {
    for (const part of writeParts(choice, head)) {
      const candidates = [encodeCandidate([part], index, null)]
      yield { part: 'content', chunk: { candidates, ...countSoFar(part), ...tail } }
    }
    const isLast = index === choices.length - 1
    const total = isLast && usage !== null ? { usageMetadata: encodeUsage(usage) } : {}
    const candidates = [encodeCandidate(closingParts(choice, head), index, choice)]
    yield { part: isLast ? 'usage' : 'finish', chunk: { candidates, ...total, ...tail } }
  }
}

/** Every chunk reports what has been used so far; only the last one has the whole. */
function createMeter({ usage, hasLateUsage }: Performance) {
  let said = 0
  let thought = 0
  let images = 0
  return (part: StreamPart): { usageMetadata?: object } => {
    if (usage === null || hasLateUsage === true) return {}
    const characters = part.text?.length ?? 0
    if (part.thought === true) thought += characters
    else said += characters
    if (part.inlineData !== undefined) images += 1
    const reasoning = countTokens(thought)
    const imageOutput = images * TOKENS_PER_MADE_IMAGE
    const output = reasoning + countTokens(said) + imageOutput
    return { usageMetadata: encodeUsage({ ...usage, output, reasoning, imageOutput }) }
  }
}

interface StreamPart {
  readonly text?: string
  readonly thought?: true
  readonly functionCall?: object
  readonly inlineData?: object
  readonly thoughtSignature?: string
}

function* writeParts({ steps, image }: Choice, head: AnswerHead): Generator<StreamPart> {
  for (const [position, step] of steps.entries()) {
    const signature = () => signStep(step, { steps, position, head })
    switch (step.type) {
      case 'think':
        if (!isShown(step, head)) break
        for (const text of step.pieces) yield { text, thought: true }
        yield { text: '', thought: true, ...signature() }
        break
      case 'say':
        for (const text of step.pieces) yield { text }
        break
      case 'call':
        for (const part of encodeCall(step, { position, head })) yield { ...part, ...signature() }
        break
      case 'refuse':
    }
  }
  yield* encodeImage(image)
}

/** The last chunk may bring the signature of words that came before it. */
function closingParts({ steps, finish }: Choice, head: AnswerHead): readonly object[] {
  if (finish === 'refusal') return []
  const position = steps.findLastIndex((step: Step) => step.type === 'say')
  const said = steps[position]
  return [{ text: '', ...(said === undefined ? {} : signStep(said, { steps, position, head })) }]
}

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

export function encodeError(refusal: SandboxError) {
  const { status, message } = refusal
  const name = STATUS_NAMES[status] ?? (status >= 500 ? 'UNKNOWN' : 'INVALID_ARGUMENT')
  return { error: { code: status, message, status: name, ...encodeDetails(refusal) } }
}

function encodeDetails({ kind, code, field, message }: SandboxError): { details?: readonly object[] } {
  if (code !== null)
    return {
      details: [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'googleapis.com' },
      ],
    }
  if (kind !== 'bad-request' || field === null) return {}
  const violation = { field, description: message }
  return { details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [violation] }] }
}

/** This service calls a wrong key a bad request, not a missing permission. */
export function refuseKey(): SandboxError {
  const message = 'API key not valid. Please pass a valid API key.'
  return new SandboxError('bad-key', message, { status: 400, code: 'API_KEY_INVALID' })
}
