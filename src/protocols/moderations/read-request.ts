import { GatewayError } from '../../errors/gateway-error.ts'
import { compileCheck } from '../../validation/validation.ts'
import { rewriteMembers, TopLevelMembers } from '../../wire/json-members.ts'
import { isObject } from '../../wire/json-values.ts'
import { checkMediaParts } from '../request-limits.ts'
import { MAX_INPUTS, ModerationBodySchema } from './schema.ts'

const check = compileCheck(ModerationBodySchema)

/** A request to judge texts and images. */
export interface ModerationRequest {
  /** null when the client leaves the choice to the gateway. */
  readonly model: string | null
  readonly inputs: number
  readonly promptCharacters: number
  readonly mediaParts: number
  relayBody(upstreamModel: string): string
}

/** Checks and reads a parsed body. `text` is the unparsed body. */
export function readRequest(body: unknown, text: string): ModerationRequest {
  const fields = check(body)
  // Refuses a name that is there twice: a supplier could read another value than the one that was checked.
  new TopLevelMembers(text, fields)
  const { model = null, input } = fields
  const size = typeof input === 'string' ? sizeOf([input]) : sizeOf(input)
  checkMediaParts(size.mediaParts, 'input')
  return { model, ...size, relayBody: (upstreamModel) => rewriteMembers(text, { model: upstreamModel }) }
}

function sizeOf(
  input: readonly unknown[],
): Pick<ModerationRequest, 'inputs' | 'promptCharacters' | 'mediaParts'> {
  if (input.length > MAX_INPUTS) {
    const message = `input may have at most ${MAX_INPUTS} entries, but has ${input.length}.`
    throw new GatewayError('invalid_request', message, { param: 'input' })
  }
  let promptCharacters = 0
  let mediaParts = 0
  for (const [place, part] of input.entries()) {
    const characters = charactersOf(part, place)
    if (characters === null) mediaParts += 1
    else promptCharacters += characters
  }
  return { inputs: input.length, promptCharacters, mediaParts }
}

/** null for what is not text. */
function charactersOf(part: unknown, place: number): number | null {
  if (typeof part === 'string') return part.length
  if (isObject(part) && typeof part.type === 'string') {
    if (part.type !== 'text') return null
    if (typeof part.text === 'string') return part.text.length
  }
  const param = `input[${place}]`
  const message = `${param} must be a string, or a part such as {"type": "text", "text": "…"}.`
  throw new GatewayError('invalid_request', message, { param })
}
