import {
  type Choice,
  type FinishReason,
  type Performance,
  type PerformanceUsage,
  readStep,
  type Step,
  type StepOf,
} from '../../performance/performance.ts'
import type { SandboxError } from '../../sandbox-error.ts'
import type { Frame } from '../face.ts'
import { encodeError } from '../openai-style.ts'

/** What every object of one answer has in common. */
export interface AnswerHead {
  readonly number: number
  readonly id: string
  /** Seconds. */
  readonly created: number
  readonly model: string
}

const FINISH_REASONS = {
  stop: 'stop',
  length: 'length',
  'tool-call': 'tool_calls',
  // A model that declines has ended its answer like any other; only where the words stand is different.
  refusal: 'stop',
} as const satisfies Record<FinishReason, string>

/** The same in a reply and in a stream, so that both can be compared. */
function nameCall(head: AnswerHead, choice: number, call: number): string {
  return `call_sandbox_${head.number}_${choice}_${call}`
}

export function encodeReply({ choices, usage }: Performance, head: AnswerHead) {
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    choices: choices.map((choice, index) => ({
      index,
      message: encodeMessage(choice, (call) => nameCall(head, index, call)),
      finish_reason: FINISH_REASONS[choice.finish],
      logprobs: null,
    })),
    ...(usage === null ? {} : { usage: encodeUsage(usage) }),
  }
}

function encodeMessage({ steps }: Choice, nameOf: (call: number) => string) {
  const thought = joinSteps(steps, 'think')
  const calls = steps.flatMap((step) => (step.type === 'call' ? [step] : []))
  return {
    role: 'assistant',
    content: joinSteps(steps, 'say'),
    refusal: joinSteps(steps, 'refuse'),
    annotations: [],
    ...(thought === null ? {} : { reasoning_content: thought }),
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map((call, index) => encodeCall(call, nameOf(index))) }),
  }
}

const CALL_WORDS = {
  json: { type: 'function', field: 'arguments' },
  text: { type: 'custom', field: 'input' },
} as const

function encodeCall(step: StepOf<'call'>, id: string) {
  const { type, field } = CALL_WORDS[step.input]
  return { id, type, [type]: { name: step.tool, [field]: readStep(step) } }
}

/** null when the answer has no step of this type to show, which is not the same as an empty one. */
function joinSteps(steps: readonly Step[], type: 'think' | 'say' | 'refuse'): string | null {
  const wanted = steps.filter((step) => step.type === type && !isHidden(step))
  return wanted.length === 0 ? null : wanted.map(readStep).join('')
}

/** This format has no place for a thought without words. */
function isHidden(step: Step): boolean {
  return step.type === 'think' && step.isRedacted === true
}

type WriteChunk = (fields: { choices: readonly unknown[]; usage?: unknown }) => string

export function* encodeFrames(
  { choices, usage }: Performance,
  head: AnswerHead,
  includeUsage: boolean,
): Generator<Frame> {
  const write = createChunkWriter(head, includeUsage)
  for (const [index, choice] of choices.entries()) {
    const writeDelta = (delta: unknown, finishReason: string | null = null): Frame => ({
      part: finishReason === null ? 'content' : 'finish',
      text: write({ choices: [{ index, delta, finish_reason: finishReason, logprobs: null }] }),
    })
    for (const delta of encodeDeltas(choice, (call) => nameCall(head, index, call))) yield writeDelta(delta)
    yield writeDelta({}, FINISH_REASONS[choice.finish])
  }
  if (includeUsage && usage !== null) {
    yield { part: 'usage', text: write({ choices: [], usage: encodeUsage(usage) }) }
  }
  yield { part: 'end', text: 'data: [DONE]\n\n' }
}

function createChunkWriter({ id, created, model }: AnswerHead, includeUsage: boolean): WriteChunk {
  const head = { id, object: 'chat.completion.chunk', created, model }
  // Once usage is asked for, every chunk before the last carries an empty one.
  const tail = includeUsage ? { usage: null } : {}
  return ({ choices, ...fields }) => `data: ${JSON.stringify({ ...head, choices, ...tail, ...fields })}\n\n`
}

const DELTA_FIELDS = { think: 'reasoning_content', say: 'content', refuse: 'refusal' } as const

function* encodeDeltas({ steps }: Choice, nameOf: (call: number) => string): Generator<object> {
  const hasContent =
    steps.length === 0 || steps.some((step) => step.type !== 'call' && step.type !== 'refuse')
  yield { role: 'assistant', content: hasContent ? '' : null, refusal: null }
  let calls = 0
  for (const step of steps) {
    if (step.type === 'call') {
      yield* encodeCallDeltas(step, { index: calls, id: nameOf(calls) })
      calls += 1
    } else if (!isHidden(step)) {
      for (const piece of step.pieces) yield { [DELTA_FIELDS[step.type]]: piece }
    }
  }
}

function* encodeCallDeltas(
  step: StepOf<'call'>,
  { index, id }: { index: number; id: string },
): Generator<object> {
  const { type, field } = CALL_WORDS[step.input]
  yield { tool_calls: [{ index, id, type, [type]: { name: step.tool, [field]: '' } }] }
  for (const piece of step.pieces) yield { tool_calls: [{ index, [type]: { [field]: piece } }] }
}

export function encodeUsage(usage: PerformanceUsage) {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cachedInput, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

export function encodeErrorFrame(refusal: SandboxError): string {
  return `data: ${JSON.stringify(encodeError(refusal))}\n\n`
}
