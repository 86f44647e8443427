import { GatewayError } from '../../errors/gateway-error.ts'
import type { EligibleRoute } from '../../rules/routing/eligible-routes.ts'
import type { Format, ModelKind } from '../../vocabulary/supply.ts'
import { availableModel, modelNotFound } from '../admission/find-model.ts'
import { type Caller, fitTarget, nameOf, type Target } from '../admission/prepared-request.ts'

interface Kind {
  /** What models of the kind can do, after "can". */
  readonly ability: string
  /** Where clients call them; null for text, which has several places. */
  readonly endpoint: string | null
}

const KINDS: Readonly<Record<ModelKind, Kind>> = {
  text: { ability: 'answer with text', endpoint: null },
  image: { ability: 'generate images', endpoint: 'POST /v1/images/generations' },
  'image-edit': { ability: 'edit images', endpoint: 'POST /v1/images/edits' },
  embedding: { ability: 'embed text', endpoint: 'POST /v1/embeddings' },
  rerank: { ability: 'rerank documents', endpoint: 'POST /v1/rerank' },
  moderation: { ability: 'moderate content', endpoint: 'POST /v1/moderations' },
  transcription: { ability: 'transcribe audio', endpoint: 'POST /v1/audio/transcriptions' },
  speech: { ability: 'speak', endpoint: 'POST /v1/audio/speech' },
}

/** How a family talks to suppliers of one format. */
interface Side {
  readonly name: Format
}

export interface KindQuery<S extends Side> {
  readonly kind: ModelKind
  /** The formats in which the family can be served; the one that fits best comes first. */
  readonly sides: readonly S[]
  readonly model: string
}

/** Finds a model of this kind, and those of its routes that one of the sides can call. */
export function findModelOf<S extends Side>(
  caller: Caller,
  { kind, sides, model: id }: KindQuery<S>,
): Target {
  return fitTarget(availableModel(caller, id), (target) => {
    if (!target.model.kinds.includes(kind)) throw cannot(target, kind)
    const usable = target.routes.filter((route) => sideOf(route, sides) !== null)
    if (usable.length === 0) throw modelNotFound(id)
    return { ...target, routes: usable }
  })
}

/** The side that speaks a format of the route's supplier, or null. */
export function sideOf<S extends Side>(
  { formats }: Pick<EligibleRoute, 'formats'>,
  sides: readonly S[],
): S | null {
  return sides.find(({ name }) => formats.includes(name)) ?? null
}

/** The error for a model that is called where it cannot answer. It says what the model can do instead. */
export function cannot(target: Target, wanted: ModelKind): GatewayError {
  const { kinds } = target.model
  const places = kinds.flatMap((kind) => KINDS[kind].endpoint ?? []).join(' or ')
  const name = JSON.stringify(nameOf(target).slice(0, 200))
  const hint =
    places === ''
      ? `Models that can have "${wanted}" in gateway.kinds of GET /v1/models.`
      : `It can ${kinds.map((kind) => KINDS[kind].ability).join(' and ')}; call ${places} instead.`
  return new GatewayError('invalid_request', `The model ${name} cannot ${KINDS[wanted].ability}. ${hint}`, {
    param: 'model',
  })
}

/** The error for a strict client whose parameters a supplier's format does not have. */
export function cannotTake(names: readonly string[]): GatewayError {
  const [param = ''] = names
  const message = `The supplier of this model cannot take: ${names.join(', ')}.`
  return new GatewayError('unsupported_parameter', message, { param })
}
