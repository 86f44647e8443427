import { isObject } from '../../../wire/json-values.ts'
import type { Seals } from '../../seals.ts'
import type { Run } from './history.ts'
import { refuse, type WirePart } from './schema.ts'

export const FACE = 'content-generation'

/** What the real service accepts in place of a signature from a history it did not write itself. */
const ESCAPE = 'skip_thought_signature_validator'

type Signed = 'thought' | 'text' | 'call'

export function signatureClaim(model: string, about: Signed) {
  return { face: FACE, model, about }
}

/** A call as it is signed: the order of its arguments is not what it means. */
export function spellCall(name: string, args: unknown): string {
  return JSON.stringify([name, sortKeys(args)])
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isObject(value)) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, field]) => [name, sortKeys(field)]))
}

export interface SignatureRules {
  readonly model: string
  readonly seals: Seals
  /** Whether calls of the current turn must be signed. */
  readonly isDemanded: boolean
}

/** Every signature must be ours and stand on what it was made for; the newest models do not go on without it. */
export function checkSignatures(runs: readonly Run[], rules: SignatureRules): void {
  const currentTurn = runs.findLastIndex(startsTurn)
  runs.forEach((run, position) => {
    if (run.role !== 'model') return
    checkRun(run, rules)
    if (rules.isDemanded && position > currentTurn) checkCallSigned(run)
  })
}

/** A turn begins with something the user says, not with what a tool returns. */
function startsTurn({ role, parts }: Run): boolean {
  return role === 'user' && parts.every(({ functionResponse }) => functionResponse === undefined)
}

function checkRun({ parts, index }: Run, { model, seals }: SignatureRules): void {
  const words = { thought: '', text: '' }
  parts.forEach((part, position) => {
    const kind = kindOf(part)
    if (kind !== 'call') words[kind] += part.text ?? ''
    const signature = part.thoughtSignature ?? null
    if (signature === null || signature === ESCAPE) return
    const content = kind === 'call' ? callContent(part) : words[kind]
    if (kind !== 'call') words[kind] = ''
    if (seals.isGenuine(signature, signatureClaim(model, kind), content)) return
    const field = `contents[${index}].parts[${position}].thought_signature`
    throw refuse('Thought signature is not valid.', field)
  })
}

function kindOf(part: WirePart): Signed {
  if (part.functionCall !== undefined) return 'call'
  return part.thought === true ? 'thought' : 'text'
}

function callContent({ functionCall }: WirePart): string {
  return spellCall(functionCall?.name ?? '', functionCall?.args ?? {})
}

// Of calls made at once only the first is signed.
function checkCallSigned({ parts, index }: Run): void {
  const position = parts.findIndex(({ functionCall }) => functionCall !== undefined)
  const call = parts[position]
  if (call === undefined || call.thoughtSignature !== undefined) return
  const field = `contents[${index}].parts[${position}]`
  const message = `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${call.functionCall?.name}\`, position ${index + 1}.`
  throw refuse(message, field)
}
