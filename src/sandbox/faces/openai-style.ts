import { Refusal, type RefusalKind } from '../refusal.ts'
import { type ShapeProblem, spellPlace } from './shape.ts'

const ERROR_WORDS = {
  'bad-request': { type: 'invalid_request_error', code: null },
  'bad-key': { type: 'invalid_request_error', code: 'invalid_api_key' },
  'unknown-model': { type: 'invalid_request_error', code: 'model_not_found' },
  'unknown-path': { type: 'invalid_request_error', code: 'unknown_url' },
  'rate-limited': { type: 'requests', code: 'rate_limit_exceeded' },
  broken: { type: 'server_error', code: null },
} as const satisfies Record<RefusalKind, { type: string; code: string | null }>

/** The error body of every format that OpenAI made. */
export function encodeError(refusal: Refusal) {
  const { type, code } = ERROR_WORDS[refusal.kind]
  return { error: { message: refusal.message, type, param: refusal.field, code: refusal.code ?? code } }
}

export function refuseKey(): Refusal {
  return new Refusal('bad-key', 'Incorrect API key provided. Sandbox keys start with sk-sandbox.')
}

export function refuseShape(problem: ShapeProblem): Refusal {
  if (problem.type === 'wrong') {
    const field = spellPlace(problem.place)
    return new Refusal('bad-request', `Invalid value for '${field}': ${problem.message}.`, { field })
  }
  const field = spellPlace([...problem.place, problem.name])
  return problem.type === 'missing'
    ? new Refusal('bad-request', `Missing required parameter: '${field}'.`, { field })
    : new Refusal('bad-request', `Unknown parameter: '${field}'.`, { field, code: 'unknown_parameter' })
}
