import { tryParseJson } from '../../../wire/json-values.ts'
import {
  type Choice,
  type Performance,
  type PerformanceUsage,
  readStep,
  type Step,
  type StepOf,
} from '../../performance/performance.ts'
import type { SandboxError } from '../../sandbox-error.ts'
import type { Seals } from '../../seals.ts'
import type { Frame } from '../face.ts'
import { thinkingClaim } from './history.ts'

/** What every object of one answer has in common. */
export interface AnswerHead {
  readonly number: number
  readonly id: string
  readonly model: string
  readonly seals: Seals
  /** False when thoughts are signed but their words kept back. */
  readonly showsThoughts: boolean
  /** Writing to the cache costs extra here, so it is reported only to callers that asked for it. */
  readonly marksCache: boolean
}

function nameCall(head: AnswerHead, index: number): string {
  return `toolu_sandbox_${head.number}_${index}`
}

function encodeStop({ finish, stopSequence, steps }: Choice) {
  const refused = steps.find((step) => step.type === 'refuse')
  return {
    stop_reason: stopSequence === null ? STOP_REASONS[finish] : 'stop_sequence',
    stop_sequence: stopSequence,
    stop_details:
      refused === undefined
        ? null
        : { type: 'refusal', category: 'general_harms', explanation: [...refused.pieces].join('') },
  }
}

const STOP_REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-call': 'tool_use',
  refusal: 'refusal',
} as const satisfies Record<Choice['finish'], string>

/** Here the prompt is counted in three parts that do not overlap. */
export function encodeUsage(usage: PerformanceUsage, head: AnswerHead) {
  const written = head.marksCache ? usage.writtenInput : 0
  return {
    input_tokens: usage.input - usage.cachedInput - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: usage.cachedInput,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: 'global',
    speed: null,
    iterations: null,
    fallback_credit: null,
  }
}

export function encodeReply(performance: Performance, head: AnswerHead) {
  const choice = onlyChoice(performance)
  const content = choice.steps.flatMap((step, index) => encodeBlock(step, index, head))
  const usage = performance.usage === null ? {} : { usage: encodeUsage(performance.usage, head) }
  return { ...encodeHead(head), content, ...encodeStop(choice), ...usage }
}

function onlyChoice({ choices }: Performance): Choice {
  const [choice] = choices
  if (choice === undefined) throw new Error('an answer has one choice')
  return choice
}

function encodeHead({ id, model }: AnswerHead) {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    container: null,
    context_management: null,
    diagnostics: null,
  }
}

function encodeBlock(step: Step, index: number, head: AnswerHead): readonly object[] {
  switch (step.type) {
    case 'think':
      return [encodeThought(step, head)]
    case 'say':
      return [{ type: 'text', text: readStep(step), citations: [] }]
    // The words of a refusal stand beside the content, which stays empty.
    case 'refuse':
      return []
    case 'call':
      return [encodeCall(step.tool, { id: nameCall(head, index), input: parseInput(readStep(step)) })]
  }
}

function encodeThought(step: Step & { type: 'think' }, head: AnswerHead): object {
  const words = readStep(step)
  if (step.isRedacted === true) {
    const data = head.seals.seal(thinkingClaim(head.model, 'redacted_thinking'), words)
    return { type: 'redacted_thinking', data }
  }
  const signature = head.seals.seal(thinkingClaim(head.model, 'thinking'), words)
  return { type: 'thinking', thinking: head.showsThoughts ? words : '', signature }
}

export function encodeCall(name: string, { id, input }: { id: string; input: unknown }): object {
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } }
}

/** A call that was cut off in the middle of its input has none that could be read. */
function parseInput(text: string): unknown {
  return tryParseJson(text) ?? {}
}

export function* encodeFrames(performance: Performance, head: AnswerHead): Generator<Frame> {
  const choice = onlyChoice(performance)
  yield write('content', { type: 'message_start', message: openMessage(performance, head) })
  yield write('content', { type: 'ping' })
  let block = 0
  for (const [position, step] of choice.steps.entries()) {
    if (step.type === 'refuse') continue
    yield* writeBlock(step, { block, position, head })
    block += 1
  }
  const usage = performance.usage === null ? {} : { usage: encodeUsage(performance.usage, head) }
  yield write('usage', {
    type: 'message_delta',
    delta: { container: null, ...encodeStop(choice) },
    ...usage,
    context_management: null,
  })
  yield write('end', { type: 'message_stop' })
}

interface StreamEvent {
  readonly type: string
  readonly [field: string]: unknown
}

function write(part: Frame['part'], event: StreamEvent): Frame {
  return { part, text: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` }
}

function openMessage(performance: Performance, head: AnswerHead) {
  const usage = openingUsage(performance, head)
  const stop = { stop_reason: null, stop_sequence: null, stop_details: null }
  return { ...encodeHead(head), content: [], ...stop, ...(usage === null ? {} : { usage }) }
}

/** The prompt is counted before the first word, unless the supplier is to be late with its numbers. */
function openingUsage({ usage, hasLateUsage }: Performance, head: AnswerHead) {
  if (usage === null) return null
  if (hasLateUsage === true) return { input_tokens: 0, output_tokens: 0 }
  return { ...encodeUsage({ ...usage, output: 1 }, head), output_tokens_details: null }
}

interface BlockPlace {
  /** Position among the blocks of the answer. */
  readonly block: number
  /** Position among the steps of the performance. */
  readonly position: number
  readonly head: AnswerHead
}

function* writeBlock(step: Exclude<Step, { type: 'refuse' }>, place: BlockPlace): Generator<Frame> {
  const { block: index, position, head } = place
  switch (step.type) {
    case 'think':
      yield* writeThought(step, place)
      break
    case 'say':
      yield start(index, { type: 'text', text: '', citations: [] })
      for (const text of step.pieces) yield delta(index, { type: 'text_delta', text })
      break
    case 'call':
      yield start(index, encodeCall(step.tool, { id: nameCall(head, position), input: {} }))
      for (const partial_json of ['', ...step.pieces])
        yield delta(index, { type: 'input_json_delta', partial_json })
  }
  yield write('content', { type: 'content_block_stop', index })
}

function* writeThought(step: StepOf<'think'>, { block: index, head }: BlockPlace): Generator<Frame> {
  // A redacted thought comes whole.
  if (step.isRedacted === true) return yield start(index, encodeThought(step, head))
  yield start(index, { type: 'thinking', thinking: '', signature: '' })
  if (head.showsThoughts) {
    for (const thinking of step.pieces) yield delta(index, { type: 'thinking_delta', thinking })
  }
  const signature = head.seals.seal(thinkingClaim(head.model, 'thinking'), readStep(step))
  yield delta(index, { type: 'signature_delta', signature })
}

function start(index: number, block: object): Frame {
  return write('content', { type: 'content_block_start', index, content_block: block })
}

function delta(index: number, change: object): Frame {
  return write('content', { type: 'content_block_delta', index, delta: change })
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

export function encodeError({ status, message }: SandboxError) {
  const type = TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
  return { type: 'error', error: { type, message }, request_id: 'req_sandbox' }
}

export function encodeErrorFrame(refusal: SandboxError): string {
  const { type, error } = encodeError(refusal)
  return `event: error\ndata: ${JSON.stringify({ type, error })}\n\n`
}
