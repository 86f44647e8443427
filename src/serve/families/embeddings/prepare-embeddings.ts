import type { EmbeddingInput } from '../../../conversation/families/embeddings.ts'
import { estimateTokens, textDensity } from '../../../conversation/token-estimate.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { BodyRecorder } from '../../../manage/ports/console.ts'
import type {
  EmbeddingClient,
  EmbeddingSide,
  ReadEmbeddingRequest,
} from '../../../protocols/embedding-side.ts'
import { EMBEDDING_SIDES } from '../../../protocols/index.ts'
import type { EligibleRoute } from '../../../rules/routing/eligible-routes.ts'
import type { Caller, PreparedRequest, Target } from '../../admission/prepared-request.ts'
import type { Exchange } from '../../ports/exchange.ts'
import { findModelOf } from '../kinds.ts'

/** The body of a request, as it was read. */
export interface ReadBody {
  readonly client: EmbeddingClient
  readonly embedding: ReadEmbeddingRequest
  readonly text: string
  readonly bodies: BodyRecorder | null
}

/** An embedding request that is ready for admission. */
export interface PreparedEmbedding extends PreparedRequest {
  readonly client: EmbeddingClient
  readonly embedding: ReadEmbeddingRequest
}

export function prepareEmbedding(read: ReadBody, caller: Caller, exchange: Exchange): PreparedEmbedding {
  const { client, embedding, text, bodies } = read
  const { facts, request } = embedding
  return {
    exchange,
    protocol: client,
    caller,
    client,
    embedding,
    target: findTarget(read, caller),
    request: { facts, conversationHint: () => null },
    bodyText: text,
    // The characters of tokens were counted with this factor.
    tokensPerCharacter: hasTokens(request.inputs) ? TOKENS_PER_CHARACTER : textDensity(request.inputs),
    bodies,
  }
}

const TOKENS_PER_CHARACTER = 0.25

/** Finds the model and those of its routes whose suppliers can embed these inputs. */
function findTarget({ client, embedding }: ReadBody, caller: Caller): Target {
  const { request, onlyRelayed } = embedding
  const target = findModelOf(caller, { kind: 'embedding', sides: EMBEDDING_SIDES, model: request.model })
  if (onlyRelayed !== null) return narrow(target, (side) => side.name === client.name, onlyRelayed)
  return hasTokens(request.inputs) ? narrow(target, (side) => side.takesTokens, noTokens()) : target
}

function narrow({ model, routes }: Target, isAble: (side: EmbeddingSide) => boolean, error: GatewayError) {
  const able = routes.filter(({ formats }) =>
    EMBEDDING_SIDES.some((side) => formats.includes(side.name) && isAble(side)),
  )
  if (able.length === 0) throw error
  return { model, routes: able }
}

function noTokens(): GatewayError {
  const message = 'The suppliers of this model take texts, not lists of tokens. Send input as strings.'
  return new GatewayError('unsupported_parameter', message, { param: 'input' })
}

export function hasTokens(inputs: readonly EmbeddingInput[]): boolean {
  return typeof inputs[0] === 'object'
}

/** The side for a route: the client's own format if its supplier speaks it. */
export function embeddingSideOf(
  { formats }: Pick<EligibleRoute, 'formats'>,
  { client, embedding }: PreparedEmbedding,
): EmbeddingSide {
  const spoken = EMBEDDING_SIDES.filter(({ name }) => formats.includes(name))
  const isForTokens = hasTokens(embedding.request.inputs)
  const able = isForTokens ? spoken.filter(({ takesTokens }) => takesTokens) : spoken
  const side = able.find(({ name }) => name === client.name) ?? able[0]
  if (side === undefined) throw new Error('the candidate does not serve embeddings')
  return side
}

/** Our own count of the tokens of each input. */
export function countTokens(inputs: readonly EmbeddingInput[]): readonly number[] {
  return inputs.map((input) => (typeof input === 'string' ? estimateTokens(input) : input.length))
}
