import {
  findTopLevelMembers,
  insertionOf,
  insertMember,
  type Replacement,
  replaceMembers,
  type TopLevelMembers,
} from '../../../wire/json-members.ts'
import type { ChatRequest } from '../schema.ts'

/**
 * The client's own text for a supplier: only the model name changes, and a stream always asks for usage. Every other
 * byte stays as it was.
 */
export function relayBody(text: string, askedUsage: Replacement | null, renamed: Replacement | null): string {
  if (askedUsage === null && renamed === null) return text
  return replaceMembers(
    text,
    [askedUsage, renamed].filter((change) => change !== null),
  )
}

/** null when the supplier has the same name for it. */
export function renameModel(
  { model }: ChatRequest,
  members: TopLevelMembers,
  upstreamModel: string,
): Replacement | null {
  const span = upstreamModel === model ? undefined : members.get('model')
  return span === undefined ? null : { span, json: JSON.stringify(upstreamModel) }
}

/** Without usage there is nothing to charge by; null when it comes by itself or was asked for. */
export function askForUsage(
  { stream, stream_options }: ChatRequest,
  members: TopLevelMembers,
  text: string,
): Replacement | null {
  if (stream !== true || stream_options?.include_usage === true) return null
  const span = members.get('stream_options')
  if (span === undefined) return insertionOf(text, 'stream_options', '{"include_usage":true}')
  return { span, json: withIncludeUsage(text.slice(span.start, span.end)) }
}

function withIncludeUsage(options: string): string {
  if (options === 'null') return '{"include_usage":true}'
  const flag = findTopLevelMembers(options).get('include_usage')
  if (flag === undefined) return insertMember(options, 'include_usage', 'true')
  return replaceMembers(options, [{ span: flag, json: 'true' }])
}
