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
    if (answer?.name === call.name && (call.id === undefined || answer.id === call.id)) return
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
