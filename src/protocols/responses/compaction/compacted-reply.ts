import type { Answer, AnswerPart } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { NO_USAGE } from '../../../conversation/usage.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import type { CompactionSealer } from '../../protocol.ts'
import type { ReplyContext, StreamEncoder } from '../../translation.ts'
import { FORMAT } from '../format.ts'
import { encodeUsage } from '../reply/usage.ts'
import { inputItemsOf, kindOfItem } from '../request/input-items.ts'
import { COMPACTION, isCompactionItem } from './compaction-items.ts'

type Seal = CompactionSealer['seal']

/** The answer with its text sealed in a compaction item. Thoughts and calls are not part of a summary. */
export function compactAnswer(answer: Answer, context: ReplyContext, seal: Seal): Answer {
  const [choice] = answer.choices
  if (choice === undefined) return answer
  const part = compactionPart(summaryOf(choice.parts), context, seal)
  return { ...answer, choices: [{ ...choice, parts: part === null ? [] : [part], logprobs: null }] }
}

function summaryOf(parts: readonly AnswerPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Returns null when the model wrote no summary. */
function compactionPart(summary: string, context: ReplyContext, seal: Seal): AnswerPart | null {
  if (summary.trim() === '') return null
  return { type: 'opaque', format: FORMAT, kind: COMPACTION, value: compactionItem(summary, context, seal) }
}

function compactionItem(summary: string, { newId }: ReplyContext, seal: Seal): JsonObject {
  const encrypted_content = seal({ type: 'summary', text: summary.trim() })
  return { id: newId('cmp_'), type: COMPACTION, encrypted_content }
}

/** Writes the summary as one item, once it is complete. */
export class CompactionEncoder implements StreamEncoder {
  readonly #inner: StreamEncoder
  readonly #context: ReplyContext
  readonly #seal: Seal
  readonly #pieces: string[] = []
  #isText = false
  #isCompacted = false

  constructor(inner: StreamEncoder, context: ReplyContext, seal: Seal) {
    this.#inner = inner
    this.#context = context
    this.#seal = seal
  }

  get finalReply(): unknown {
    return this.#inner.finalReply
  }

  push(event: AnswerEvent): string {
    switch (event.type) {
      case 'answer-start':
      case 'usage':
        return this.#inner.push(event)
      case 'part-start':
        this.#isText = event.choice === 0 && event.part.type === 'text'
        if (this.#isText && event.part.type === 'text') this.#pieces.push(event.part.text)
        return ''
      case 'part-delta':
        if (this.#isText) this.#pieces.push(event.text)
        return ''
      case 'choice-end':
        return this.#writeItem(event)
      case 'answer-end':
        return this.#isCompacted ? this.#inner.push(event) : this.#inner.fail(noSummary())
      default:
        return ''
    }
  }

  fail(error: GatewayError, isEndWithheld?: boolean): string {
    return this.#inner.fail(error, isEndWithheld)
  }

  #writeItem(end: Extract<AnswerEvent, { type: 'choice-end' }>): string {
    const part = compactionPart(this.#pieces.join(''), this.#context, this.#seal)
    if (part === null || end.choice !== 0) return ''
    this.#isCompacted = true
    const events: readonly AnswerEvent[] = [
      { type: 'part-start', choice: 0, part },
      { type: 'part-end', choice: 0 },
      end,
    ]
    return events.map((event) => this.#inner.push(event)).join('')
  }
}

function noSummary(): GatewayError {
  return new GatewayError('provider_error', 'The model wrote no summary of the conversation.')
}

/** The object that the endpoint answers with: the user's messages, then what stands for everything else. */
export function compactionObject(
  answer: Answer,
  context: ReplyContext,
  { body, seal }: { readonly body: unknown; readonly seal: Seal },
): JsonObject {
  const summary = summaryOf(answer.choices[0]?.parts ?? [])
  const item = summary.trim() === '' ? [] : [compactionItem(summary, context, seal)]
  return {
    id: context.newId('resp_'),
    object: 'response.compaction',
    created_at: Math.floor(context.createdAtMs / 1000),
    output: [...userMessages(body, context), ...item],
    usage: encodeUsage(answer.usage ?? { ...NO_USAGE, input: context.promptTokens }),
  }
}

function userMessages(body: unknown, { newId }: ReplyContext): JsonObject[] {
  return inputItemsOf(body).flatMap((item) => {
    const message = asObject(item)
    if (message === null || kindOfItem(message) !== 'message' || message.role !== 'user') return []
    const { content } = message
    return [
      {
        id: asText(message.id) ?? newId('msg_'),
        type: 'message',
        status: 'completed',
        role: 'user',
        content: typeof content === 'string' ? [{ type: 'input_text', text: content }] : asArray(content),
      },
    ]
  })
}

/** Seals a supplier's own item, so that it is sent to no other supplier. Returns null when the reply has none. */
export function sealNativeReply(reply: unknown, supplier: string, seal: Seal): JsonObject | null {
  const response = asObject(reply)
  if (response === null || !isCompacted(response)) return null
  const output = asArray(response.output).map((item) => {
    const value = isCompactionItem(item) ? asText(asObject(item)?.encrypted_content) : null
    return value === null
      ? item
      : { ...asObject(item), encrypted_content: seal({ type: 'native', supplier, value }) }
  })
  return { ...response, output }
}

export function isCompacted(reply: unknown): boolean {
  return asArray(asObject(reply)?.output).some(isCompactionItem)
}
