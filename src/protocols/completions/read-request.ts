import { openingText } from '../../conversation/opening.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { compileCheck } from '../../validation/validation.ts'
import { insertionOf, type Replacement, replaceInPieces, TopLevelMembers } from '../../wire/json-members.ts'
import type { TextPieces } from '../../wire/pieced-body.ts'
import type { ClientRequest, RequestFacts, StreamTap } from '../protocol.ts'
import { requestUsage } from '../token-details.ts'
import type { ClientSide, OtherSuppliers } from '../translation.ts'
import { decodePrompt, promptTexts } from './decode-request.ts'
import { CompletionStreamEncoder } from './encode-stream.ts'
import { DEFAULT_MAX_TOKENS } from './format.ts'
import { encodeReply, type ReplyOptions } from './reply.ts'
import { type CompletionRequest, CompletionRequestSchema } from './schema.ts'
import { CompletionTap } from './tap-usage.ts'

/** A token is about so many characters of text. */
const CHARACTERS_PER_TOKEN = 4

const check = compileCheck(CompletionRequestSchema)

/** Validates and reads a parsed body. `text` is its JSON text. */
export function readRequest(body: unknown, text: string): ClientRequest {
  const request = check(body)
  if ((request.best_of ?? 128) < (request.n ?? 1)) {
    throw new GatewayError('invalid_request', 'best_of must not be less than n.', { param: 'best_of' })
  }
  return new ReadCompletionRequest(request, text)
}

class ReadCompletionRequest implements ClientRequest {
  readonly facts: RequestFacts
  readonly #request: CompletionRequest
  readonly #text: string
  readonly #members: TopLevelMembers
  readonly #wantsUsage: boolean
  readonly #choices: number

  constructor(request: CompletionRequest, text: string) {
    this.facts = isShortenable(request) ? readFacts(request) : { ...readFacts(request), isHeldWhole: true }
    this.#request = request
    this.#text = text
    this.#members = new TopLevelMembers(text, request)
    this.#wantsUsage = request.stream_options?.include_usage === true
    this.#choices = (request.n ?? 1) * countPrompts(request)
  }

  get client(): ClientSide {
    const prompt = promptTexts(this.#request)?.[0] ?? ''
    return clientSide(() => decodePrompt(this.#request, prompt), this.#replyOptions([]))
  }

  /** The client's text with the supplier's model name, a limit, and usage enabled for a stream. Every other byte is kept. */
  relayBody(upstreamModel: string): TextPieces {
    const { model, max_tokens, stream } = this.#request
    const changes: Replacement[] = []
    const span = upstreamModel === model ? undefined : this.#members.get('model')
    if (span !== undefined) changes.push({ span, json: JSON.stringify(upstreamModel) })
    // Suppliers differ in their defaults, and the reservation is for this one.
    if ((max_tokens ?? null) === null) changes.push(this.#limit())
    if (stream === true && !this.#wantsUsage) changes.push(requestUsage(this.#members, this.#text))
    return replaceInPieces(this.#text, changes)
  }

  openTap(): StreamTap {
    return new CompletionTap({ keepsUsageChunk: this.#wantsUsage, choices: this.#choices })
  }

  conversationHint(): string | null {
    return openingText([this.#request.prompt ?? ''])
  }

  /** What suppliers of other formats are asked: each prompt is what a user says. */
  get elsewhere(): OtherSuppliers | GatewayError {
    const request = this.#request
    const prompts = promptTexts(request)
    if (prompts === null) return unavailable('prompt', 'takes prompts as text only, not as tokens')
    if (request.suffix) return unavailable('suffix', 'cannot write the text before a suffix')
    if (request.max_tokens === 0) return unavailable('max_tokens', 'cannot return a prompt alone')
    const [first = ''] = prompts
    const options = this.#replyOptions(request.echo === true ? prompts : [])
    return {
      client: clientSide(() => decodePrompt(request, first), options),
      prompts: prompts.map((prompt) => () => decodePrompt(request, prompt)),
    }
  }

  #limit(): Replacement {
    const json = String(DEFAULT_MAX_TOKENS)
    const span = this.#members.get('max_tokens')
    return span === undefined ? insertionOf(this.#text, 'max_tokens', json) : { span, json }
  }

  #replyOptions(echoes: readonly string[]): ReplyOptions {
    return { wantsUsage: this.#wantsUsage, echoes, choices: this.#request.n ?? 1 }
  }
}

function clientSide(decode: ClientSide['decode'], options: ReplyOptions): ClientSide {
  return {
    decode,
    encodeReply: (answer, context) => encodeReply(answer, context, options),
    openEncoder: (context) => new CompletionStreamEncoder(context, options),
  }
}

function unavailable(param: string, why: string): GatewayError {
  const message = `${param}: this model answers conversations and ${why}. Models with "completions" in gateway.protocols of GET /v1/models can.`
  return new GatewayError('unsupported_parameter', message, { param })
}

function readFacts(request: CompletionRequest): RequestFacts {
  const { model, stream, max_tokens, n, best_of, suffix } = request
  return {
    model,
    stream: stream === true,
    promptCharacters: countCharacters(request.prompt) + (suffix?.length ?? 0),
    mediaParts: 0,
    maxOutputTokens: max_tokens ?? DEFAULT_MAX_TOKENS,
    choices: Math.max(n ?? 1, best_of ?? 1) * countPrompts(request),
  }
}

function countPrompts({ prompt }: CompletionRequest): number {
  return Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1
}

function countCharacters(prompt: CompletionRequest['prompt']): number {
  if (typeof prompt === 'string') return prompt.length
  let characters = 0
  for (const each of prompt ?? []) {
    characters += typeof each === 'string' ? each.length : countTokens(each) * CHARACTERS_PER_TOKEN
  }
  return characters
}

function countTokens(tokens: number | readonly number[]): number {
  return typeof tokens === 'number' ? 1 : tokens.length
}

/** Only a request that was translated can be shortened, and these members would not survive it. */
function isShortenable({ prompt, echo, logprobs, best_of }: CompletionRequest): boolean {
  return (
    typeof prompt === 'string' && echo !== true && (logprobs ?? null) === null && (best_of ?? null) === null
  )
}
