import type { SupplierCall } from '../../gateway/ports/supplier-call.ts'
import type { RequestText } from './connection.ts'
import type { SupplierAddress } from './supplier-address.ts'

const NAME = /^[\w!#$%&'*+.^`|~-]+$/
// Whoever could put a line break into a value could write a second request.
const NOT_PLAIN = /[^\t\x20-\x7e]/

// An answer that comes uncompressed costs the supplier more lines and us less time.
const DEFAULTS = 'user-agent: turnpike\r\naccept: */*\r\naccept-encoding: identity\r\n'
const OURS = ['host', 'content-length', 'transfer-encoding', 'connection', 'accept-encoding', 'user-agent']

/** The request as it is sent; null when it is not one of plain text and plain fields. */
export function writeRequest({ headers, body }: SupplierCall, { head }: SupplierAddress): RequestText | null {
  if (typeof body !== 'string') return null
  let fields = ''
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (!NAME.test(name) || NOT_PLAIN.test(value) || OURS.includes(name)) return null
    fields += `${name}: ${value}\r\n`
  }
  const bodyBytes = Buffer.byteLength(body)
  const start = `${head}${DEFAULTS}${fields}content-length: ${bodyBytes}\r\n\r\n`
  return { text: start + body, bytes: start.length + bodyBytes }
}
