import { Type } from 'typebox'
import { embed, embedTokens, writeBase64, writeNumbers } from '../../embeddings/embed.ts'
import type { Face, Incoming, ResultScene } from '../face.ts'
import { OPENAI_STYLE, refuseShape } from '../openai-style.ts'
import { Closed, createCheck, Literals, Nullable } from '../shape.ts'
import { checkEmbeds, checkTexts, Dimensions, dimensionsOr, refuse, tokensOf } from './shared.ts'

const MAX_INPUTS = 2_048
const MAX_TOKENS = 300_000
const MAX_TOKENS_OF_INPUT = 8_192

const Tokens = Type.Array(Type.Integer({ minimum: 0 }))
const check = createCheck(
  Closed({
    model: Type.String(),
    input: Type.Union([Type.String(), Type.Array(Type.String()), Tokens, Type.Array(Tokens)]),
    encoding_format: Nullable(Literals('float', 'base64')),
    dimensions: Dimensions,
    user: Nullable(Type.String()),
  }),
  refuseShape,
)

/** OpenAI's embeddings. */
export const openaiEmbeddings: Face = {
  name: 'embeddings',
  home: '/v1/embeddings',
  claims: (method, path) => method === 'POST' && path === '/v1/embeddings',
  ...OPENAI_STYLE,
  open: openScene,
}

function openScene(incoming: Incoming): ResultScene {
  const request = check(incoming.body)
  checkEmbeds(request.model, incoming)
  const inputs = readInputs(request.input)
  const tokens = countAll(inputs)
  const dimensions = dimensionsOr(request.dimensions)
  const write = request.encoding_format === 'base64' ? writeBase64 : writeNumbers
  return {
    type: 'result',
    ask: request,
    writeReply: (hasUsage) => ({
      object: 'list',
      data: inputs.map((input, index) => ({
        object: 'embedding',
        index,
        embedding: write(
          typeof input === 'string' ? embed(input, dimensions) : embedTokens(input, dimensions),
        ),
      })),
      model: request.model,
      ...(hasUsage && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    }),
  }
}

type Input = string | number[]

function readInputs(input: Input | readonly Input[]): readonly Input[] {
  const list =
    typeof input === 'string' || typeof input[0] === 'number' ? [input as Input] : (input as Input[])
  checkTexts(
    list.map((each) => (each.length === 0 ? '' : ' ')),
    MAX_INPUTS,
    'input',
  )
  return list
}

function countAll(inputs: readonly Input[]): number {
  const counts = inputs.map((input) => (typeof input === 'string' ? tokensOf([input]) : input.length))
  const longest = Math.max(...counts)
  if (longest > MAX_TOKENS_OF_INPUT) {
    const message = `This model's maximum context length is ${MAX_TOKENS_OF_INPUT} tokens, however you requested ${longest} tokens.`
    throw refuse(message, 'input')
  }
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total > MAX_TOKENS)
    throw refuse(`Requested ${total} tokens, max ${MAX_TOKENS} tokens per request.`, 'input')
  return total
}
