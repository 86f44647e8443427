import { type Static, Type } from 'typebox'
import type { Ask } from '../../performance/ask.ts'
import type { Choice, FinishReason, Performance, PerformanceUsage } from '../../performance/performance.ts'
import { CHARACTERS_PER_TOKEN } from '../../performance/tokens.ts'
import { SandboxError } from '../../sandbox-error.ts'
import type { Face, Frame } from '../face.ts'
import { encodeError, OPENAI_STYLE, refuseShape, toSeconds } from '../openai-style.ts'
import { createCheck, Nullable } from '../shape.ts'

const Tokens = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })
const Request = Type.Object({
  model: Type.String({ minLength: 1 }),
  prompt: Nullable(
    Type.Union([
      Type.String(),
      Type.Array(Type.String(), { minItems: 1 }),
      Tokens,
      Type.Array(Tokens, { minItems: 1 }),
    ]),
  ),
  suffix: Nullable(Type.String()),
  max_tokens: Nullable(Type.Integer({ minimum: 0 })),
  temperature: Nullable(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  n: Nullable(Type.Integer({ minimum: 1, maximum: 128 })),
  best_of: Nullable(Type.Integer({ minimum: 1, maximum: 20 })),
  echo: Nullable(Type.Boolean()),
  logprobs: Nullable(Type.Integer({ minimum: 0, maximum: 5 })),
  logit_bias: Nullable(Type.Object({})),
  presence_penalty: Nullable(Type.Number({ minimum: -2, maximum: 2 })),
  frequency_penalty: Nullable(Type.Number({ minimum: -2, maximum: 2 })),
  stop: Nullable(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })])),
  seed: Nullable(Type.Integer()),
  user: Nullable(Type.String()),
  stream: Nullable(Type.Boolean()),
  stream_options: Nullable(
    Type.Object({
      include_usage: Nullable(Type.Boolean()),
      include_obfuscation: Nullable(Type.Boolean()),
    }),
  ),
})
type Request = Static<typeof Request>

const checkRequest = createCheck(Request, refuseShape)

/** What the API generates when a caller sets no limit. */
const DEFAULT_MAX_TOKENS = 16

export const completions: Face = {
  name: 'completions',
  home: '/v1/completions',
  claims: (method, path) => method === 'POST' && path === '/v1/completions',
  ...OPENAI_STYLE,
  open({ body, callNumber, nowMs, traitsOf }) {
    const request = checkRequest(body)
    if (traitsOf(request.model)?.completes === undefined && traitsOf(request.model) !== null) {
      const message = 'This is a chat model and not supported in the v1/completions endpoint.'
      throw new SandboxError('unknown-model', message, { field: 'model' })
    }
    const prompts = readPrompts(request.prompt ?? '')
    const answer = new CompletionAnswer(request, prompts, {
      id: `cmpl-sandbox-${callNumber}`,
      object: 'text_completion',
      created: toSeconds(nowMs),
      model: request.model,
    })
    const asks = prompts.map((prompt) => askFor([prompt], request))
    return {
      type: 'answer',
      ask: askFor(prompts, request),
      asks,
      stream: request.stream === true,
      writeReply: (performance) => answer.writeReply(performance),
      writeFrames: (performance) => answer.writeFrames(performance),
      writeErrorFrame: (refusal) => `data: ${JSON.stringify(encodeError(refusal))}\n\n`,
    }
  },
}

/** Tokens are shown as text of about the same length. */
function readPrompts(prompt: NonNullable<Request['prompt']>): readonly string[] {
  if (typeof prompt === 'string') return [prompt]
  const [first] = prompt
  if (typeof first === 'number') return [spellTokens(prompt as readonly number[])]
  return (prompt as readonly (string | readonly number[])[]).map((each) =>
    typeof each === 'string' ? each : spellTokens(each),
  )
}

function spellTokens(tokens: readonly number[]): string {
  return tokens.map((token) => `#${token}`.padEnd(CHARACTERS_PER_TOKEN)).join('')
}

function askFor(prompts: readonly string[], request: Request): Ask {
  return {
    model: request.model,
    instructions: [],
    turns: prompts.map((text) => ({ role: 'user', text, images: [], toolName: null })),
    tools: [],
    toolChoice: { type: 'none' },
    parallelTools: false,
    thinking: 'declined',
    maxOutputTokens: request.max_tokens ?? DEFAULT_MAX_TOKENS,
    stopSequences: typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []),
    choices: request.n ?? 1,
    shape: { type: 'text' },
  }
}

const FINISH_REASONS = {
  stop: 'stop',
  length: 'length',
  'tool-call': 'stop',
  refusal: 'stop',
} as const satisfies Record<FinishReason, string>

/** Writes the answer to one request. */
class CompletionAnswer {
  readonly #request: Request
  readonly #prompts: readonly string[]
  readonly #head: object

  constructor(request: Request, prompts: readonly string[], head: object) {
    this.#request = request
    this.#prompts = prompts
    this.#head = head
  }

  writeReply({ choices, usage }: Performance): unknown {
    return {
      ...this.#head,
      choices: choices.map((choice, index) => {
        const pieces = [...this.#pieces(choice, index)]
        const finish = FINISH_REASONS[choice.finish]
        return { text: pieces.join(''), index, logprobs: this.#logprobs(pieces, 0), finish_reason: finish }
      }),
      ...(usage !== null && { usage: encodeUsage(usage) }),
    }
  }

  *writeFrames({ choices, usage }: Performance): Generator<Frame> {
    const wantsUsage = this.#request.stream_options?.include_usage === true
    const write = (fields: object) =>
      `data: ${JSON.stringify({ ...this.#head, ...(wantsUsage && { usage: null }), ...fields })}\n\n`
    for (const [index, choice] of choices.entries()) {
      let offset = 0
      for (const text of this.#pieces(choice, index)) {
        const logprobs = this.#logprobs([text], offset)
        offset += text.length
        yield { part: 'content', text: write({ choices: [{ text, index, logprobs, finish_reason: null }] }) }
      }
      const finish_reason = FINISH_REASONS[choice.finish]
      yield { part: 'finish', text: write({ choices: [{ text: '', index, logprobs: null, finish_reason }] }) }
    }
    if (wantsUsage && usage !== null) {
      yield { part: 'usage', text: write({ choices: [], usage: encodeUsage(usage) }) }
    }
    yield { part: 'end', text: 'data: [DONE]\n\n' }
  }

  *#pieces({ steps }: Choice, index: number): Generator<string> {
    const prompt = this.#prompts[Math.floor(index / (this.#request.n ?? 1))] ?? ''
    if (this.#request.echo === true && prompt !== '') yield prompt
    for (const step of steps) yield* step.type === 'think' ? [] : [...step.pieces].filter(Boolean)
  }

  #logprobs(pieces: readonly string[], start: number): unknown {
    const wanted = this.#request.logprobs ?? null
    if (wanted === null) return null
    let offset = start
    return {
      tokens: pieces,
      token_logprobs: pieces.map(() => -0.5),
      top_logprobs: pieces.map((piece) => (wanted === 0 ? {} : { [piece]: -0.5 })),
      text_offset: pieces.map((piece) => {
        offset += piece.length
        return offset - piece.length
      }),
    }
  }
}

function encodeUsage({ input, output }: PerformanceUsage) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}
