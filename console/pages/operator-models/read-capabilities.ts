/** The object a text of JSON holds; null when it is none. */
export function readCapabilities(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

/** What is wrong with the text, in words; null when nothing is. */
export function checkCapabilities(text: string): string | null {
  if (readCapabilities(text) !== null) return null
  try {
    JSON.parse(text)
    return 'Enter an object in braces, such as {"vision": false}'
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}
