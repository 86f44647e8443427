import {
  findTopLevelMembers,
  insertionOf,
  insertMember,
  type Replacement,
  replaceMembers,
  type Span,
} from '../../wire/json-members.ts'
import type { ChatRequest } from './schema.ts'

/**
 * Prepares the client's own text for a supplier: only the model name changes, and a stream always asks for usage,
 * since without it there is nothing to charge by. Every other byte stays as it was.
 */
export function prepareRelay(
  request: ChatRequest,
  text: string,
  members: ReadonlyMap<string, Span>,
): (upstreamModel: string) => string {
  const lacksUsage = request.stream === true && request.stream_options?.include_usage !== true
  const always = lacksUsage ? [askForUsage(text, members)] : []
  const model = members.get('model')
  return (upstreamModel) => {
    if (model === undefined || upstreamModel === request.model) return replaceMembers(text, always)
    return replaceMembers(text, [...always, { span: model, json: JSON.stringify(upstreamModel) }])
  }
}

function askForUsage(text: string, members: ReadonlyMap<string, Span>): Replacement {
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
