import type { SeenImage, ThinkingWish } from '../performance/ask.ts'
import { SandboxError, type SandboxErrorDetails, type SandboxErrorKind } from '../sandbox-error.ts'
import { type Face, readImageAddress } from './face.ts'
import { type ShapeProblem, spellPlace } from './shape.ts'

const ERROR_WORDS = {
  'bad-request': { type: 'invalid_request_error', code: null },
  'bad-key': { type: 'invalid_request_error', code: 'invalid_api_key' },
  'unknown-model': { type: 'invalid_request_error', code: 'model_not_found' },
  'unknown-path': { type: 'invalid_request_error', code: 'unknown_url' },
  'rate-limited': { type: 'requests', code: 'rate_limit_exceeded' },
  broken: { type: 'server_error', code: null },
} as const satisfies Record<SandboxErrorKind, { type: string; code: string | null }>

/** The error body of every format that OpenAI made. */
export function encodeError(refusal: SandboxError) {
  const { type, code } = ERROR_WORDS[refusal.kind]
  return { error: { message: refusal.message, type, param: refusal.field, code: refusal.code ?? code } }
}

function refuseKey(): SandboxError {
  return new SandboxError('bad-key', 'Incorrect API key provided. Sandbox keys start with sk-sandbox.')
}

export function refuseShape(problem: ShapeProblem): SandboxError {
  if (problem.type === 'wrong') {
    const field = spellPlace(problem.place)
    return new SandboxError('bad-request', `Invalid value for '${field}': ${problem.message}.`, { field })
  }
  const field = spellPlace([...problem.place, problem.name])
  return problem.type === 'missing'
    ? refuseMissing(field)
    : new SandboxError('bad-request', `Unknown parameter: '${field}'.`, { field, code: 'unknown_parameter' })
}

export function readBearer(headers: Headers): string | null {
  return /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null
}

export function refuseMissing(field: string): SandboxError {
  return new SandboxError('bad-request', `Missing required parameter: '${field}'.`, { field })
}

/** What the faces of formats that OpenAI made have in common. */
export const OPENAI_STYLE = {
  readKey: ({ headers }: Request) => readBearer(headers),
  refuseKey,
  writeError: encodeError,
} as const satisfies Partial<Face>

export function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}

export function decodeEffort(effort: string | null | undefined): ThinkingWish {
  if (effort === null || effort === undefined) return 'unsaid'
  return effort === 'none' ? 'declined' : 'asked'
}

/** `refusal` says in which field the address stands, and what is wrong with it. */
export function decodeImageUrl(url: string, refusal: SandboxErrorDetails): SeenImage {
  const image = readImageAddress(url)
  if (image !== null) return image
  const message = 'Invalid image_url: expected an http(s) address or a base64 data URL.'
  throw new SandboxError('bad-request', message, refusal)
}
