import { Type } from 'typebox'
import { SandboxError } from '../../sandbox-error.ts'
import type { Face, Incoming, ResultScene } from '../face.ts'
import { OPENAI_STYLE, refuseShape } from '../openai-style.ts'
import { Closed, createCheck, Nullable, type ShapeProblem, spellPlace } from '../shape.ts'
import { countRankedTokens, countUnits, type Ranked, rank } from './rank.ts'

const MODEL = 'sandbox-rerank'
const Text = Type.String({ minLength: 1 })
const Count = Nullable(Type.Integer({ minimum: 1 }))

const common = { model: Text, query: Text }

/** As Jina, vLLM and the first version of Cohere's API have it. */
const checkGeneral = createCheck(
  Closed({
    ...common,
    documents: Type.Array(Type.Union([Type.String(), Type.Object({ text: Type.String() })]), { minItems: 1 }),
    top_n: Count,
    return_documents: Nullable(Type.Boolean()),
    max_tokens_per_doc: Count,
    max_chunks_per_doc: Count,
    rank_fields: Nullable(Type.Array(Type.String())),
  }),
  refuseShape,
)

const checkCohere = createCheck(
  Closed({
    ...common,
    documents: Type.Array(Type.String(), { minItems: 1, maxItems: 10_000 }),
    top_n: Count,
    max_tokens_per_doc: Count,
    priority: Nullable(Type.Integer({ minimum: 0, maximum: 999 })),
  }),
  refuseCohereShape,
)

const checkVoyage = createCheck(
  Closed({
    ...common,
    documents: Type.Array(Type.String(), { minItems: 1, maxItems: 1_000 }),
    top_k: Count,
    return_documents: Nullable(Type.Boolean()),
    truncation: Nullable(Type.Boolean()),
  }),
  refuseShape,
)

function claim(path: string): Pick<Face, 'home' | 'claims'> {
  return { home: path, claims: (method, called) => method === 'POST' && called === path }
}

/** Reports search units as well as tokens. */
export const rerank: Face = {
  name: 'rerank',
  ...claim('/v1/rerank'),
  ...OPENAI_STYLE,
  open: (incoming) => {
    const request = checkGeneral(incoming.body)
    const texts = request.documents.map((document) =>
      typeof document === 'string' ? document : document.text,
    )
    return rankScene(
      incoming,
      { ...request, texts, best: request.top_n ?? texts.length },
      (asked, ranked) => ({
        ...encodeCohere(asked, ranked, '1'),
        model: request.model,
        ...(asked.hasUsage && { usage: encodeTokens(asked) }),
      }),
    )
  },
}

/** The second version of Cohere's API. */
export const cohereRerank: Face = {
  name: 'cohere rerank',
  ...claim('/v2/rerank'),
  ...OPENAI_STYLE,
  writeError: ({ message }) => ({ message }),
  open: (incoming) => {
    const request = checkCohere(incoming.body)
    const { documents: texts, top_n } = request
    return rankScene(incoming, { ...request, texts, best: top_n ?? texts.length }, (asked, ranked) =>
      encodeCohere(asked, ranked, '2'),
    )
  },
}

export const voyageRerank: Face = {
  name: 'voyage rerank',
  ...claim('/voyage/v1/rerank'),
  ...OPENAI_STYLE,
  writeError: ({ message }) => ({ detail: message }),
  open: (incoming) => {
    const request = checkVoyage(incoming.body)
    const { documents: texts, top_k } = request
    return rankScene(incoming, { ...request, texts, best: top_k ?? texts.length }, (asked, ranked) => ({
      object: 'list',
      data: ranked.map(({ index, score }) => ({
        relevance_score: score,
        index,
        ...(asked.return_documents && { document: texts[index] }),
      })),
      model: request.model,
      ...(asked.hasUsage && { usage: { total_tokens: encodeTokens(asked).total_tokens } }),
    }))
  },
}

interface RankAsk {
  readonly model: string
  readonly query: string
  readonly return_documents?: boolean | null
  readonly texts: readonly string[]
  /** How many to return. */
  readonly best: number
}

interface Asked extends RankAsk {
  readonly hasUsage: boolean
  readonly callNumber: number
}

function rankScene(
  { traitsOf, callNumber }: Incoming,
  ask: RankAsk,
  encode: (asked: Asked, ranked: readonly Ranked[]) => unknown,
): ResultScene {
  const { model, query, texts, best } = ask
  if (model !== MODEL && traitsOf(model) !== null) {
    throw new SandboxError('bad-request', `The model '${model}' does not rank documents.`, { field: 'model' })
  }
  return {
    type: 'result',
    ask: { model },
    writeReply: (hasUsage) => encode({ ...ask, hasUsage, callNumber }, rank(query, texts).slice(0, best)),
  }
}

function encodeCohere(asked: Asked, ranked: readonly Ranked[], version: string) {
  return {
    id: `rerank-${asked.callNumber}`,
    results: ranked.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(asked.return_documents && { document: { text: asked.texts[index] } }),
    })),
    meta: {
      api_version: { version },
      ...(asked.hasUsage && { billed_units: { search_units: countUnits(asked.query, asked.texts) } }),
    },
  }
}

function encodeTokens({ query, texts }: RankAsk) {
  const tokens = countRankedTokens(query, texts)
  return { prompt_tokens: tokens, total_tokens: tokens }
}

function refuseCohereShape(problem: ShapeProblem): SandboxError {
  const name = problem.type === 'wrong' ? spellPlace(problem.place) : problem.name
  if (problem.type !== 'unknown') {
    return new SandboxError('bad-request', `invalid request: ${name} is missing or malformed.`, {
      field: name,
    })
  }
  const message = `unknown field: parameter '${name}' is not a valid field. For proper usage, please refer to the reference.`
  return new SandboxError('bad-request', message, { field: name, status: 422 })
}
