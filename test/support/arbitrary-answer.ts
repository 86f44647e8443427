import fc from 'fast-check'
import type { Answer, AnswerChoice, AnswerPart, Finish, TokenLogprob } from '../../src/conversation/answer.ts'
import type { AnswerEvent } from '../../src/conversation/answer-event.ts'
import type { Usage } from '../../src/conversation/usage.ts'
import {
  type ArbitraryOptions,
  ArbitraryParts,
  type CallableTool,
  toolName,
  words,
} from './arbitrary-parts.ts'

/** Whole answers: no two texts or refusals side by side, calls with ids of their own, `tool-call` exactly when called. */
export function arbitraryAnswer(options: ArbitraryOptions = {}): fc.Arbitrary<Answer> {
  const parts = new ArbitraryParts(options)
  return fc.record({
    id: fc.stringMatching(/^[a-z]{3}_[A-Za-z0-9]{8}$/),
    choices: fc
      .array(choice(parts), { minLength: 1, maxLength: parts.has('many-choices') ? 3 : 1 })
      .map(numberChoices),
    usage: fc.option(usage()),
  })
}

function usage(): fc.Arbitrary<Usage> {
  const count = fc.nat(100_000)
  return fc
    .record({
      input: count,
      cacheRead: count,
      cacheWrite: count,
      output: count,
      reasoning: count,
      images: fc.constant(0),
    })
    .map((usage) => ({ ...usage, reasoning: Math.min(usage.reasoning, usage.output) }))
}

function choice(parts: ArbitraryParts): fc.Arbitrary<Omit<AnswerChoice, 'index'>> {
  return fc
    .record({
      parts: answerParts(parts),
      finish: finish(parts),
      logprobs: parts.when('logprobs', fc.option(fc.array(logprob(), { minLength: 1, maxLength: 3 })), null),
    })
    .map((choice) =>
      choice.parts.some(({ type }) => type === 'tool-call')
        ? { ...choice, finish: { reason: 'tool-call', stopSequence: null, explanation: null } }
        : choice,
    )
}

function answerParts(parts: ArbitraryParts): fc.Arbitrary<readonly AnswerPart[]> {
  return fc.array(callableTool(parts), { minLength: 1, maxLength: 2 }).chain((tools) => {
    const kinds: fc.Arbitrary<AnswerPart>[] = [parts.answerText(), parts.toolCall(tools)]
    if (parts.has('thinking')) kinds.push(parts.thinking())
    if (parts.has('refusals')) kinds.push(parts.refusal())
    if (parts.has('images'))
      kinds.push(parts.image().map((image) => ({ ...image, cache: null, detail: null })))
    const listed = fc.array(fc.oneof(...kinds), { maxLength: 5 })
    return parts.has('mixed-order') ? listed.map(separate) : listed.map(inUsualOrder)
  })
}

function callableTool(parts: ArbitraryParts): fc.Arbitrary<CallableTool> {
  return fc.record({
    type: parts.when(
      'custom-tools',
      fc.constantFrom('function' as const, 'custom' as const),
      'function' as const,
    ),
    name: toolName(),
    namespace: parts.when('namespaces', fc.constantFrom('left', null), null),
  })
}

function isSaid({ type }: AnswerPart): boolean {
  return type === 'text' || type === 'refusal'
}

function separate(parts: readonly AnswerPart[]): readonly AnswerPart[] {
  return parts.filter((part, index) => {
    const before = parts[index - 1]
    return before === undefined || !isSaid(part) || !isSaid(before)
  })
}

const USUAL_ORDER: readonly AnswerPart['type'][] = ['thinking', 'text', 'refusal', 'image', 'tool-call']

/** One thought, one text or refusal, images, then calls. */
function inUsualOrder(parts: readonly AnswerPart[]): readonly AnswerPart[] {
  const ofKind = (type: AnswerPart['type']) => parts.filter((part) => part.type === type)
  const said = parts.find(isSaid)
  return USUAL_ORDER.flatMap((type) => {
    if (type === 'image' || type === 'tool-call') return ofKind(type)
    if (type === 'thinking') return ofKind(type).slice(0, 1)
    return said?.type === type ? [said] : []
  })
}

function finish(parts: ArbitraryParts): fc.Arbitrary<Finish> {
  const plain = fc.constantFrom<Finish['reason']>('stop', 'length', 'filter')
  const rare = fc.constantFrom<Finish['reason']>('context-full', 'refusal', 'pause', 'other')
  const reasons = parts.has('rare-finishes') ? fc.oneof({ weight: 3, arbitrary: plain }, rare) : plain
  const ended = fc.record({
    reason: reasons,
    stopSequence: fc.constant(null),
    explanation: parts.when('explanations', fc.option(words()), null),
  })
  const cut: fc.Arbitrary<Finish> = fc.record({
    reason: fc.constant('stop-sequence' as const),
    stopSequence: fc.option(words()),
    explanation: fc.constant(null),
  })
  const whole = ended.map((each) =>
    each.reason === 'filter' || each.reason === 'refusal' ? each : { ...each, explanation: null },
  )
  return parts.has('stop-sequences') ? fc.oneof({ weight: 4, arbitrary: whole }, cut) : whole
}

function logprob(): fc.Arbitrary<TokenLogprob> {
  const token = fc.record({ token: words(), logprob: fc.constantFrom(0, -0.25, -1.5, -9) })
  return fc.tuple(token, fc.array(token, { maxLength: 2 })).map(([chosen, top]) => ({ ...chosen, top }))
}

function numberChoices(choices: readonly Omit<AnswerChoice, 'index'>[]): readonly AnswerChoice[] {
  let calls = 0
  return choices.map((choice, index) => ({
    ...choice,
    index,
    parts: choice.parts.map((part) =>
      part.type === 'tool-call' ? { ...part, id: `call_${++calls}` } : part,
    ),
  }))
}

/** An answer and one of the many ways in which a stream may tell it. */
export interface StreamedAnswer {
  readonly answer: Answer
  readonly events: readonly AnswerEvent[]
}

/** Texts cut anywhere between characters, choices interleaved, proofs at the start or late, usage repeated. */
export function arbitraryStreamedAnswer(options: ArbitraryOptions = {}): fc.Arbitrary<StreamedAnswer> {
  const whims = fc.array(fc.nat(97), { minLength: 8, maxLength: 32 })
  return fc.tuple(arbitraryAnswer(options), whims).map(([answer, order]) => {
    const whim = cycle(order)
    return { answer, events: tell(answer, whim) }
  })
}

/** The next of a row of arbitrary numbers, below the bound. */
type Whim = (bound: number) => number

function cycle(numbers: readonly number[]): Whim {
  let index = 0
  return (bound) => (numbers[index++ % numbers.length] ?? 0) % bound
}

function tell(answer: Answer, whim: Whim): readonly AnswerEvent[] {
  const queues = answer.choices.map((choice) => tellChoice(choice, whim))
  const events: AnswerEvent[] = [{ type: 'answer-start', id: answer.id }]
  let waiting = queues.filter((queue) => queue.length > 0)
  while (waiting.length > 0) {
    const next = waiting[whim(waiting.length)]?.shift()
    if (next !== undefined) events.push(next)
    waiting = waiting.filter((queue) => queue.length > 0)
  }
  if (answer.usage !== null) events.push({ type: 'usage', usage: answer.usage })
  events.push({ type: 'answer-end' })
  return events
}

function tellChoice({ index, parts, finish: ended, logprobs }: AnswerChoice, whim: Whim): AnswerEvent[] {
  const events = parts.flatMap((part) => tellPart(part, index, whim))
  if (logprobs !== null) {
    // Log probabilities belong inside a part; an answer without one tells them before its end.
    const firstEnd = events.findIndex(({ type }) => type === 'part-end')
    events.splice(firstEnd === -1 ? events.length : firstEnd, 0, {
      type: 'part-logprobs',
      choice: index,
      logprobs,
    })
  }
  events.push({ type: 'choice-end', choice: index, finish: ended })
  return events
}

function tellPart(part: AnswerPart, choice: number, whim: Whim): AnswerEvent[] {
  const isLate = whim(2) === 1
  const opening = isLate && 'proof' in part ? { ...part, proof: null } : part
  const events: AnswerEvent[] = [{ type: 'part-start', choice, part: emptied(opening) }]
  for (const text of pieces(textOf(part), whim)) events.push({ type: 'part-delta', choice, text })
  if (part.type === 'text') {
    for (const citation of part.citations) events.push({ type: 'part-citation', choice, citation })
  }
  if (isLate && 'proof' in part && part.proof !== null) {
    events.push({ type: 'part-proof', choice, proof: part.proof })
  }
  events.push({ type: 'part-end', choice })
  return events
}

function emptied(part: AnswerPart): AnswerPart {
  switch (part.type) {
    case 'text':
      return { ...part, text: '', citations: [] }
    case 'thinking':
    case 'refusal':
      return { ...part, text: '' }
    case 'tool-call':
      return { ...part, input: '' }
    default:
      return part
  }
}

function textOf(part: AnswerPart): string {
  if (part.type === 'tool-call') return part.input
  return 'text' in part ? part.text : ''
}

// Cut between whole characters: no supplier can send half of a surrogate pair in UTF-8.
function pieces(text: string, whim: Whim): readonly string[] {
  const rest = [...text]
  const cut: string[] = []
  while (rest.length > 0) cut.push(rest.splice(0, 1 + whim(4)).join(''))
  return cut
}
