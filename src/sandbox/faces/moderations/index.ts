import { Type } from 'typebox'
import { SandboxError } from '../../sandbox-error.ts'
import type { Face, Incoming, ResultScene } from '../face.ts'
import { decodeImageUrl, OPENAI_STYLE, refuseShape } from '../openai-style.ts'
import { Closed, createCheck, Nullable } from '../shape.ts'

const MODEL = 'sandbox-moderation'

const CATEGORIES = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const

const Part = Type.Union([
  Closed({ type: Type.Literal('text'), text: Type.String() }),
  Closed({ type: Type.Literal('image_url'), image_url: Closed({ url: Type.String() }) }),
])

const check = createCheck(
  Closed({
    model: Nullable(Type.String({ minLength: 1 })),
    input: Type.Union([
      Type.String(),
      Type.Array(Type.String(), { minItems: 1 }),
      Type.Array(Part, { minItems: 1 }),
    ]),
  }),
  refuseShape,
)

/** What one verdict is about: texts and the addresses of images. */
interface Seen {
  readonly texts: readonly string[]
  readonly images: readonly string[]
}

/** Flags what names a category. Images are judged by their address, since the sandbox fetches none. */
export const moderations: Face = {
  name: 'moderations',
  home: '/v1/moderations',
  claims: (method, path) => method === 'POST' && path === '/v1/moderations',
  ...OPENAI_STYLE,
  open: openScene,
}

function openScene({ body, traitsOf, callNumber }: Incoming): ResultScene {
  const { model: named, input } = check(body)
  const model = named ?? MODEL
  if (model !== MODEL && traitsOf(model) !== null) {
    throw new SandboxError('bad-request', `The model '${model}' does not moderate.`, { field: 'model' })
  }
  const seen = readInput(input)
  return {
    type: 'result',
    ask: { model },
    writeReply: () => ({ id: `modr-${callNumber}`, model, results: seen.map(judge) }),
  }
}

type Input = ReturnType<typeof check>['input']

function readInput(input: Input): readonly Seen[] {
  if (typeof input === 'string') return [{ texts: [input], images: [] }]
  const texts = input.filter((part) => typeof part === 'string')
  if (texts.length > 0) return texts.map((text) => ({ texts: [text], images: [] }))
  const parts = input.filter((part) => typeof part !== 'string')
  for (const part of parts) {
    if (part.type === 'image_url') decodeImageUrl(part.image_url.url, { field: 'input' })
  }
  return [
    {
      texts: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
      images: parts.flatMap((part) =>
        part.type === 'image_url' ? [part.image_url.url.slice(0, 2_000)] : [],
      ),
    },
  ]
}

function judge({ texts, images }: Seen) {
  const names = (category: string) => (text: string) => text.toLowerCase().includes(category)
  const found = CATEGORIES.map((category) => ({
    category,
    types: [
      ...(texts.some(names(category)) ? ['text'] : []),
      ...(images.some(names(category)) ? ['image'] : []),
    ],
  }))
  const byCategory = <T>(value: (types: readonly string[]) => T) =>
    Object.fromEntries(found.map(({ category, types }) => [category, value(types)]))
  return {
    flagged: found.some(({ types }) => types.length > 0),
    categories: byCategory((types) => types.length > 0),
    category_scores: byCategory((types) => (types.length > 0 ? 0.98 : 0.0001)),
    category_applied_input_types: byCategory((types) => types),
  }
}
