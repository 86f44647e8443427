import { FIELD_NAME, NOT_PLAIN } from '../../wire/field-text.ts'

const OURS = ['host', 'content-length', 'transfer-encoding', 'connection', 'accept-encoding', 'user-agent']

export type RequestHeaders = Readonly<Record<string, string>>

/** The lines for these headers; null when they are not plain ones. */
export function writeFields(headers: RequestHeaders): string | null {
  let fields = ''
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (!FIELD_NAME.test(name) || NOT_PLAIN.test(value) || OURS.includes(name)) return null
    fields += `${name}: ${value}\r\n`
  }
  return fields
}
