import { type AnswerPart, type Finish, finishOf, type TokenLogprob } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { ImagePart, OpaquePart, ToolCallPart } from '../../../conversation/part.ts'
import { NO_USAGE, type Usage } from '../../../conversation/usage.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext } from '../../translation.ts'
import { conversationIdOf, encodeConversationId } from '../conversations.ts'
import { FORMAT } from '../format.ts'
import type { ResponsesRequest } from '../schema.ts'
import { encodeFinish } from './finish.ts'
import { CallItem, type Emit, MessageItem, type OpenItem, ReasoningItem } from './output-item.ts'
import { encodeUsage } from './usage.ts'

/**
 * Builds a response object from an answer and emits each step as a stream event. An item is closed when the next one
 * starts or the answer ends: only then is it known whether it is complete.
 */
export class ResponseWriter {
  /** The whole response, or null until it has ended. */
  finalReply: JsonObject | null = null
  readonly #context: ReplyContext
  readonly #emit: Emit
  readonly #response: JsonObject
  readonly #output: JsonObject[] = []
  readonly #callIds = new Set<string>()
  #open: OpenItem | null = null
  /** Log probabilities that arrived before their text. */
  #logprobs: TokenLogprob[] = []
  #hasStarted = false
  #hasRefusal = false
  #finish: Finish = finishOf('other')
  #usage: Usage | null = null

  constructor(request: ResponsesRequest, context: ReplyContext, emit: Emit) {
    this.#context = context
    this.#emit = emit
    this.#response = beginResponse(request, context)
  }

  /** The response so far, with closed items only. */
  get response(): JsonObject {
    return { ...this.#response, output: [...this.#output] }
  }

  start(): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    this.#emit('response.created', { response: this.#response })
    this.#emit('response.in_progress', { response: this.#response })
  }

  write(event: AnswerEvent): void {
    this.start()
    // This format has one choice only.
    if ('choice' in event && event.choice !== 0) return
    switch (event.type) {
      case 'answer-start':
      case 'part-end':
        return
      case 'part-start':
        this.#startPart(event.part)
        return
      case 'part-delta':
        this.#open?.append(event.text)
        return
      case 'part-proof':
        this.#open?.addProof(event.proof)
        return
      case 'part-citation':
        this.#open?.cite(event.citation)
        return
      case 'part-logprobs':
        if (!this.#open?.addLogprobs(event.logprobs)) this.#logprobs.push(...event.logprobs)
        return
      case 'choice-end':
        this.#endChoice(event.finish)
        return
      case 'usage':
        this.#usage = event.usage
        return
      case 'answer-end':
        this.#end()
    }
  }

  #startPart(part: AnswerPart): void {
    if (part.type === 'text' || part.type === 'refusal') {
      this.#startContent(part.type)
      return
    }
    this.#close('completed')
    switch (part.type) {
      case 'thinking':
        this.#open = new ReasoningItem(this.#place('rs_'), part)
        return
      case 'tool-call':
        this.#startCall(part)
        return
      case 'image':
        this.#addWhole(imageItem(part, this.#context.newId('ig_')))
        return
      case 'opaque':
        this.#addWhole(ownItem(part, this.#context))
    }
  }

  #startContent(type: 'text' | 'refusal'): void {
    this.#hasRefusal ||= type === 'refusal'
    if (!(this.#open instanceof MessageItem)) {
      this.#close('completed')
      this.#open = new MessageItem(this.#place('msg_'))
    }
    if (!(this.#open instanceof MessageItem)) return
    this.#open.startContent(type)
    if (type === 'text') this.#open.addLogprobs(this.#logprobs.splice(0))
  }

  /** Calls have no signature in this format, so an empty reasoning item before the call carries it. */
  #startCall(call: ToolCallPart): void {
    if (call.proof !== null) {
      this.#open = new ReasoningItem(this.#place('rs_'), { proof: call.proof, isRedacted: false })
      this.#close('completed')
    }
    // Clients match calls and results by this id, so it must be unique.
    const id = call.id === '' || this.#callIds.has(call.id) ? this.#context.newId('call_') : call.id
    this.#callIds.add(id)
    this.#open = new CallItem(this.#place(call.kind === 'custom' ? 'ctc_' : 'fc_'), { ...call, id })
  }

  #place(prefix: string) {
    return { id: this.#context.newId(prefix), index: this.#output.length, emit: this.#emit }
  }

  #addWhole(item: JsonObject | null): void {
    if (item === null) return
    const output_index = this.#output.length
    this.#emit('response.output_item.added', { output_index, item })
    this.#emit('response.output_item.done', { output_index, item })
    this.#output.push(item)
  }

  #close(status: 'completed' | 'incomplete'): void {
    if (this.#open === null) return
    this.#output.push(this.#open.close(status))
    this.#open = null
  }

  #endChoice(finish: Finish): void {
    this.#finish = finish
    this.#close(encodeFinish(finish, { hasRefusal: this.#hasRefusal }).status)
  }

  #end(): void {
    this.#close('completed')
    const ending = encodeFinish(this.#finish, { hasRefusal: this.#hasRefusal })
    const tier = this.#usage?.details?.serviceTier
    const completedAt = ending.status === 'completed' ? Math.floor(this.#context.nowMs() / 1000) : null
    this.finalReply = {
      ...this.response,
      ...ending,
      completed_at: completedAt,
      ...(tier !== undefined && { service_tier: tier }),
      output_text: textOf(this.#output),
      // Without usage from the supplier, only the gateway's estimate of the prompt is known.
      usage: encodeUsage(this.#usage ?? { ...NO_USAGE, input: this.#context.promptTokens }),
    }
    this.#emit(`response.${ending.status}`, { response: this.finalReply })
  }
}

function imageItem({ source }: ImagePart, id: string): JsonObject | null {
  if (source.type === 'url') return null
  const output_format = source.mediaType.replace(/^image\//, '')
  return { id, type: 'image_generation_call', status: 'completed', result: source.data, output_format }
}

/** Keeps an item of this format. Returns null for an item of another format. */
function ownItem(part: OpaquePart, context: ReplyContext): JsonObject | null {
  const item = part.format === FORMAT ? asObject(part.value) : null
  if (item === null || typeof item.type !== 'string') return null
  return asText(item.id) === null ? { ...item, id: context.newId('item_') } : item
}

function textOf(output: readonly JsonObject[]): string {
  const parts = output.flatMap((item) => (item.type === 'message' ? asArray(item.content) : []))
  return parts.map((part) => asText(asObject(part)?.text) ?? '').join('')
}

/** A new response with every member that the official clients require, and the parameters of the request. */
export function beginResponse(
  request: ResponsesRequest,
  context: Pick<ReplyContext, 'newId' | 'createdAtMs' | 'model'>,
): JsonObject {
  const createdSeconds = Math.floor(context.createdAtMs / 1000)
  return {
    id: context.newId('resp_'),
    object: 'response',
    created: createdSeconds,
    created_at: createdSeconds,
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: context.model,
    output: [],
    usage: null,
    ...echoRequest(request),
    // Parameters of the shared specification that the official service does not have.
    presence_penalty: 0,
    frequency_penalty: 0,
    access_programs: null,
  }
}

function echoRequest(request: ResponsesRequest): JsonObject {
  return {
    background: request.background === true,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    conversation: encodeConversationId(conversationIdOf(request.conversation)),
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null, ...request.reasoning },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: request.service_tier ?? 'default',
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: { verbosity: 'medium', ...request.text, format: shownFormat(request.text?.format) },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools?.map(shownTool) ?? [],
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    user: request.user ?? null,
  }
}

const PLAIN_TEXT = { type: 'text' }

/** Clients of the shared specification require members that a request may omit. */
function shownFormat(format: JsonObject | null | undefined): JsonObject {
  if (format?.type !== 'json_schema') return format ?? PLAIN_TEXT
  return { ...format, description: format.description ?? null, strict: format.strict ?? false }
}

function shownTool(tool: object): object {
  const isFunction = 'type' in tool && tool.type === 'function'
  return isFunction ? { description: null, parameters: null, strict: null, ...tool } : tool
}
