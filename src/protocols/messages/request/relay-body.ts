import { replaceMembers, type Span } from '../../../wire/json-members.ts'

/** The client's own text with only the model name replaced; every other byte stays as it was. */
export function prepareRelay(
  model: string,
  text: string,
  members: ReadonlyMap<string, Span>,
): (upstreamModel: string) => string {
  const span = members.get('model')
  return (upstreamModel) => {
    if (span === undefined || upstreamModel === model) return text
    return replaceMembers(text, [{ span, json: JSON.stringify(upstreamModel) }])
  }
}
