import { type Performance, readStep, type Step, type StepOf } from '../../performance/performance.ts'
import type { Frame } from '../face.ts'
import { encodeCall, encodeThought } from './encode-reply.ts'
import { type AnswerHead, encodeStop, encodeUsage, nameCall } from './head.ts'
import { thinkingClaim } from './thinking.ts'

export function* encodeFrames(performance: Performance, head: AnswerHead): Generator<Frame> {
  const [choice] = performance.choices
  if (choice === undefined) throw new Error('an answer has one choice')
  yield write('content', { type: 'message_start', message: openMessage(performance, head) })
  yield write('content', { type: 'ping' })
  let block = 0
  for (const [position, step] of choice.steps.entries()) {
    if (step.type === 'refuse') continue
    yield* writeBlock(step, { block, position, head })
    block += 1
  }
  const usage = performance.usage === null ? {} : { usage: encodeUsage(performance.usage, head) }
  yield write('usage', { type: 'message_delta', delta: encodeStop(choice), ...usage })
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
  return {
    id: head.id,
    type: 'message',
    role: 'assistant',
    model: head.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    ...(usage === null ? {} : { usage }),
  }
}

/** The prompt is counted before the first word, unless the supplier is to be late with its numbers. */
function openingUsage({ usage, hasLateUsage }: Performance, head: AnswerHead) {
  if (usage === null) return null
  if (hasLateUsage === true) return { input_tokens: 0, output_tokens: 0 }
  const { output_tokens_details: _, ...opening } = encodeUsage({ ...usage, output: 1 }, head)
  return opening
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
      yield start(index, { type: 'text', text: '' })
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
  // What nobody may read comes whole.
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
