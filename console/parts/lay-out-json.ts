/** JSON with a line for each field; anything else, such as a stream of events, stays as it is. */
export function layOutJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
