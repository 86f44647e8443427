import type { Choice, Performance, PerformanceUsage, Step } from '../../performance/performance.ts'
import type { Refusal } from '../../refusal.ts'
import type { Frame } from '../face.ts'
import { encodeError } from '../openai-style.ts'
import { type ItemContext, type ItemEvent, type OutputItem, writeItem } from './encode-items.ts'
import type { AnswerHead } from './head.ts'

export function encodeReply(performance: Performance, head: AnswerHead): unknown {
  const events = writeEvents(performance, head)
  for (;;) {
    const next = events.next()
    if (next.done === true) return next.value
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
export function encodeErrorFrame(refusal: Refusal, sentFrames: number): string {
  const { code, type, message, param } = encodeError(refusal).error
  return writeEvent({ type: 'error', code: code ?? type, message, param }, sentFrames)
}

function writeEvent(event: ItemEvent, sequenceNumber: number): string {
  const { type, ...fields } = event
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequenceNumber, ...fields })}\n\n`
}

type Ending = Pick<Choice, 'finish'> & Pick<Performance, 'usage'> & { readonly output: readonly OutputItem[] }

/** All events of an answer; what they return is the answer as a whole. */
function* writeEvents({ choices, usage }: Performance, head: AnswerHead): Generator<ItemEvent, unknown> {
  const [choice] = choices
  const started = describeResponse(head, null)
  yield { type: 'response.created', response: started }
  yield { type: 'response.in_progress', response: started }
  const output: OutputItem[] = []
  for (const [index, step] of (choice?.steps ?? []).entries()) {
    output.push(yield* writeItem(step, describeItem(head, index, choice)))
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
function describeResponse(head: AnswerHead, ending: Ending | null) {
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
    background: false,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    model: request.model,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    service_tier: 'default',
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: {
      format: request.text?.format ?? { type: 'text' },
      verbosity: request.text?.verbosity ?? 'medium',
    },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_logprobs: 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    user: request.user ?? null,
  }
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
