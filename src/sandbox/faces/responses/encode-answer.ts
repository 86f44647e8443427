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
import { encodeError } from '../openai-style.ts'
import { isTriggered, sealSummary, spokenText, userMessages } from './compaction.ts'
import { type ItemPlace, nameItem, reasoningClaim } from './history.ts'
import type { ResponsesRequest } from './schema.ts'

/** What every object of one answer has in common. */
export interface AnswerHead {
  readonly number: number
  readonly id: string
  /** Seconds. */
  readonly createdAt: number
  readonly request: ResponsesRequest
  readonly seals: Seals
}

export function encodeReply(performance: Performance, head: AnswerHead): unknown {
  const events = writeEvents(performance, head)
  for (;;) {
    const next = events.next()
    if (next.done === true) return next.value
  }
}

/** The reply of the endpoint that only compacts. */
export function encodeCompaction(performance: Performance, head: AnswerHead): unknown {
  const { output, usage } = encodeReply(performance, head) as ReturnType<typeof describeResponse>
  return {
    id: head.id,
    object: 'response.compaction',
    created_at: head.createdAt,
    output: [...userMessages(head.request, (index) => `msg_sandbox_in_${head.number}_${index}`), ...output],
    usage,
  }
}

export function* encodeFrames(performance: Performance, head: AnswerHead): Generator<Frame> {
  let sequenceNumber = 0
  for (const event of writeEvents(performance, head)) {
    const isLast = event.type === 'response.completed' || event.type === 'response.incomplete'
    yield { part: isLast ? 'usage' : 'content', text: writeEvent(event, sequenceNumber) }
    sequenceNumber += 1
  }
}

/** Every frame is one event, so the number of frames sent is the number of the next event. */
export function encodeErrorFrame(refusal: SandboxError, sentFrames: number): string {
  const { code, type, message, param } = encodeError(refusal).error
  return writeEvent({ type: 'error', code: code ?? type, message, param }, sentFrames)
}

function writeEvent(event: ItemEvent, sequenceNumber: number): string {
  const { type, ...fields } = event
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequenceNumber, ...fields })}\n\n`
}

type ResponseEnd = Pick<Choice, 'finish'> &
  Pick<Performance, 'usage'> & { readonly output: readonly OutputItem[] }

/** All events of an answer; what they return is the answer as a whole. */
function* writeEvents({ choices, usage }: Performance, head: AnswerHead): Generator<ItemEvent, unknown> {
  const [choice] = choices
  const started = describeResponse(head, null)
  yield { type: 'response.created', response: started }
  yield { type: 'response.in_progress', response: started }
  const output: OutputItem[] = []
  if (isTriggered(head.request)) output.push(yield* writeCompaction(choice, describeItem(head, 0, choice)))
  else {
    for (const [index, step] of (choice?.steps ?? []).entries()) {
      output.push(yield* writeItem(step, describeItem(head, index, choice)))
    }
  }
  const finish = choice?.finish ?? 'stop'
  const response = describeResponse(head, { finish, usage, output })
  yield { type: finish === 'length' ? 'response.incomplete' : 'response.completed', response }
  return response
}

function describeItem(head: AnswerHead, index: number, choice: Choice | undefined): ItemContext {
  const steps: readonly Step[] = choice?.steps ?? []
  const isCutOff = choice?.finish === 'length' && index === steps.length - 1
  return {
    head,
    index,
    followsThought: steps.slice(0, index).some((step) => step.type === 'think'),
    status: isCutOff ? 'incomplete' : 'completed',
  }
}

/** `ending` is null while the answer is being made. */
function describeResponse(head: AnswerHead, ending: ResponseEnd | null) {
  const isCut = ending?.finish === 'length'
  return {
    id: head.id,
    object: 'response',
    created_at: head.createdAt,
    completed_at: ending === null || isCut ? null : head.createdAt,
    status: ending === null ? 'in_progress' : isCut ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    ...echoRequest(head),
    output: ending?.output ?? [],
    usage: ending === null || ending.usage === null ? null : encodeUsage(ending.usage),
  }
}

function echoRequest({ request }: AnswerHead) {
  return {
    access_programs: null,
    background: request.background ?? false,
    frequency_penalty: 0,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    model: request.model,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    presence_penalty: 0,
    previous_response_id: null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: 'default',
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: describeText(request),
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools?.map(describeTool) ?? [],
    top_logprobs: 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    user: request.user ?? null,
  }
}

function describeText({ text }: ResponsesRequest): object {
  const format = text?.format ?? { type: 'text' }
  return {
    format: format.type === 'json_schema' ? { description: null, strict: false, ...format } : format,
    verbosity: text?.verbosity ?? 'medium',
  }
}

function describeTool(tool: object): object {
  const isFunction = 'type' in tool && tool.type === 'function'
  return isFunction ? { description: null, parameters: null, strict: null, ...tool } : tool
}

function encodeUsage(usage: PerformanceUsage) {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cachedInput, cache_write_tokens: 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  }
}

/** An event without its number in the stream. */
interface ItemEvent {
  readonly type: string
  readonly [field: string]: unknown
}

type OutputItem = Readonly<Record<string, unknown>>

/** What it takes to write one item: its step, where it stands, and how it ended. */
interface ItemContext extends ItemPlace {
  readonly head: AnswerHead
  /** `incomplete` when the answer was cut off inside this item. */
  readonly status: 'completed' | 'incomplete'
}

type ItemEvents = Generator<ItemEvent, OutputItem>

/** Tells how one item comes to be, event by event, and gives the whole item in the end. */
function* writeItem(step: Step, context: ItemContext): ItemEvents {
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

/** One item that stands for the whole conversation. */
function* writeCompaction(choice: Choice | undefined, context: ItemContext): ItemEvents {
  const { head, index } = context
  const id = `cmp_sandbox_${head.number}_${index}`
  const item = (encrypted_content: string) => ({ id, type: 'compaction', encrypted_content })
  yield added(context, item(''))
  yield { type: 'response.compaction.compacting', item_id: id, output_index: index }
  return yield* done(context, item(sealSummary(spokenText(choice), head.seals)))
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
  const id = nameItem('msg', context)
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
  const id = nameItem('rs', context)
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
  const id = nameItem(prefix, context)
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
