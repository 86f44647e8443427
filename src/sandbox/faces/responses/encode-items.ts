import { readStep, type Step, type StepOf } from '../../performance/performance.ts'
import { type AnswerHead, nameItem, reasoningClaim } from './head.ts'

/** An event without its number in the stream. */
export interface ItemEvent {
  readonly type: string
  readonly [field: string]: unknown
}

export type OutputItem = Readonly<Record<string, unknown>>

/** What it takes to write one item: its step, where it stands, and how it ended. */
export interface ItemContext {
  readonly head: AnswerHead
  /** Position in the answer, from 0. */
  readonly index: number
  readonly followsThought: boolean
  /** `incomplete` when the answer was cut off inside this item. */
  readonly status: 'completed' | 'incomplete'
}

type ItemEvents = Generator<ItemEvent, OutputItem>

/** Tells how one item comes to be, event by event, and gives the whole item in the end. */
export function* writeItem(step: Step, context: ItemContext): ItemEvents {
  switch (step.type) {
    case 'think':
      return yield* writeReasoning(step, context)
    case 'say':
      return yield* writeMessage(step, context, TEXT_PART)
    case 'refuse':
      return yield* writeMessage(step, context, REFUSAL_PART)
    case 'call':
      return yield* writeCall(step, context)
  }
}

interface PartWords {
  readonly event: string
  readonly doneField: 'text' | 'refusal'
  /** What text events carry beside the text. */
  readonly beside: object
  part(text: string): object
}

const TEXT_PART: PartWords = {
  event: 'response.output_text',
  doneField: 'text',
  beside: { logprobs: [] },
  part: (text) => ({ type: 'output_text', text, annotations: [], logprobs: [] }),
}

const REFUSAL_PART: PartWords = {
  event: 'response.refusal',
  doneField: 'refusal',
  beside: {},
  part: (refusal) => ({ type: 'refusal', refusal }),
}

function* writeMessage(step: Step, context: ItemContext, words: PartWords): ItemEvents {
  const id = nameItem('msg', placeOf(context))
  const item = (status: string, content: readonly object[]) => ({
    id,
    type: 'message',
    role: 'assistant',
    status,
    content,
  })
  const place = { item_id: id, output_index: context.index, content_index: 0 }
  yield added(context, item('in_progress', []))
  yield { type: 'response.content_part.added', ...place, part: words.part('') }
  const pieces: string[] = []
  for (const delta of step.pieces) {
    pieces.push(delta)
    yield { type: `${words.event}.delta`, ...place, delta, ...words.beside }
  }
  const text = pieces.join('')
  yield { type: `${words.event}.done`, ...place, [words.doneField]: text, ...words.beside }
  yield { type: 'response.content_part.done', ...place, part: words.part(text) }
  return yield* done(context, item(context.status, [words.part(text)]))
}

function* writeReasoning(step: StepOf<'think'>, context: ItemContext): ItemEvents {
  const { request, seals } = context.head
  const id = nameItem('rs', { ...placeOf(context), followsThought: false })
  yield added(context, { id, type: 'reasoning', summary: [], status: 'in_progress' })
  const thought = readStep(step)
  // A summary is written only for who asked for one.
  const isShown = (request.reasoning?.summary ?? null) !== null && step.isRedacted !== true
  if (isShown) yield* writeSummary(step, { item_id: id, output_index: context.index, summary_index: 0 })
  return yield* done(context, {
    id,
    type: 'reasoning',
    summary: isShown ? [{ type: 'summary_text', text: thought }] : [],
    encrypted_content: seals.seal(reasoningClaim(request.model, id), thought),
    status: context.status,
  })
}

function* writeSummary(step: Step, place: object): Generator<ItemEvent> {
  const part = (text: string) => ({ type: 'summary_text', text })
  yield { type: 'response.reasoning_summary_part.added', ...place, part: part('') }
  for (const delta of step.pieces) yield { type: 'response.reasoning_summary_text.delta', ...place, delta }
  const text = readStep(step)
  yield { type: 'response.reasoning_summary_text.done', ...place, text }
  yield { type: 'response.reasoning_summary_part.done', ...place, part: part(text) }
}

const CALL_WORDS = {
  json: {
    type: 'function_call',
    prefix: 'fc',
    field: 'arguments',
    event: 'response.function_call_arguments',
  },
  text: { type: 'custom_tool_call', prefix: 'ctc', field: 'input', event: 'response.custom_tool_call_input' },
} as const

function* writeCall(step: StepOf<'call'>, context: ItemContext): ItemEvents {
  const { type, prefix, field, event } = CALL_WORDS[step.input]
  const id = nameItem(prefix, placeOf(context))
  const item = (status: string, input: string) => ({
    id,
    type,
    status,
    call_id: `call_sandbox_${context.head.number}_${context.index}`,
    name: step.tool,
    ...(step.namespace === undefined ? {} : { namespace: step.namespace }),
    [field]: input,
  })
  const place = { item_id: id, output_index: context.index }
  yield added(context, item('in_progress', ''))
  for (const delta of step.pieces) yield { type: `${event}.delta`, ...place, delta }
  const input = readStep(step)
  const name = step.input === 'json' ? { name: step.tool } : {}
  yield { type: `${event}.done`, ...place, ...name, [field]: input }
  return yield* done(context, item(context.status, input))
}

function added(context: ItemContext, item: OutputItem): ItemEvent {
  return { type: 'response.output_item.added', output_index: context.index, item }
}

function* done(context: ItemContext, item: OutputItem): ItemEvents {
  yield { type: 'response.output_item.done', output_index: context.index, item }
  return item
}

function placeOf({ head, index, followsThought }: ItemContext) {
  return { answer: head.number, index, followsThought }
}
