import { isObject } from '../../../wire/json-values.ts'
import type { Seals } from '../../seals.ts'
import { refuse, type WireContent, type WirePart } from './schema.ts'

/** Everything one side said before the other spoke. */
export interface Run {
  readonly role: 'user' | 'model'
  /** Position of its first content in the request. */
  readonly index: number
  readonly parts: readonly WirePart[]
}

interface GrowingRun extends Run {
  readonly parts: WirePart[]
}

const DATA_FIELDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const satisfies readonly (keyof WirePart)[]

/** A stream's pieces come back as contents of their own, so neighbours of the same role are read as one. */
export function mergeContents(contents: readonly WireContent[]): readonly Run[] {
  const runs: GrowingRun[] = []
  contents.forEach((content, index) => {
    const role = content.role === 'model' ? 'model' : 'user'
    const parts = checkParts(content, index)
    const last = runs.at(-1)
    if (last?.role === role) for (const part of parts) last.parts.push(part)
    else runs.push({ role, index, parts: [...parts] })
  })
  return runs
}

function checkParts({ parts }: WireContent, index: number): readonly WirePart[] {
  const field = `contents[${index}].parts`
  if (parts === undefined || parts.length === 0)
    throw refuse(`* GenerateContentRequest.${field}: contents.parts must not be empty.`, field)
  parts.forEach((part, position) => {
    if (DATA_FIELDS.filter((name) => part[name] !== undefined).length === 1) return
    const place = `${field}[${position}].data`
    const message = `* GenerateContentRequest.${place}: required oneof field 'data' must have one initialized field`
    throw refuse(message, place)
  })
  return parts
}

/** The rules of order that the real service holds a conversation to. */
export function checkOrder(runs: readonly Run[]): void {
  runs.forEach((run, position) => {
    if (run.role === 'model') checkCalls(run, { previous: runs[position - 1], next: runs[position + 1] })
    else checkResponses(run, runs[position - 1])
  })
  if (runs.at(-1)?.role === 'model') {
    const message = 'Please ensure that multiturn requests end with a user turn or a function response turn.'
    throw refuse(message, 'contents')
  }
}

function checkCalls(
  run: Run,
  { previous, next }: { previous?: Run | undefined; next?: Run | undefined },
): void {
  const calls = run.parts.flatMap(({ functionCall }) => functionCall ?? [])
  if (calls.length === 0) return
  const field = `contents[${run.index}]`
  if (previous === undefined) {
    const message =
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
    throw refuse(message, field)
  }
  const answers = responsesOf(next)
  if (answers.length !== calls.length) {
    const message =
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
    throw refuse(message, field)
  }
  calls.forEach((call, position) => {
    const answer = answers[position]
    const isSameId = call.id === undefined || answer?.id === undefined || answer.id === call.id
    if (answer?.name === call.name && isSameId) return
    const message = `Please ensure that function response parts are in the order of the function call parts: expected a response to '${call.name}', found one to '${answer?.name}'.`
    throw refuse(message, `contents[${next?.index}].parts`)
  })
}

function checkResponses(run: Run, previous: Run | undefined): void {
  const isAnswering = responsesOf(run).length > 0
  if (!isAnswering || previous?.parts.some(({ functionCall }) => functionCall !== undefined)) return
  const message = 'Please ensure that function response turn comes immediately after a function call turn.'
  throw refuse(message, `contents[${run.index}]`)
}

function responsesOf(run: Run | undefined) {
  return (run?.parts ?? []).flatMap(({ functionResponse }) => functionResponse ?? [])
}

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
