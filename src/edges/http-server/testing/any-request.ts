import fc from 'fast-check'
import type { Echo } from './echo-server.ts'
import { asBytes, head } from './raw-client.ts'

/** A request as its client means it. */
export interface AnyRequest {
  readonly method: string
  readonly id: string
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly body: string
  /** Null: the body is sent with its length. */
  readonly chunkSizes: readonly number[] | null
}

const text = (maxLength: number) =>
  fc.string({ unit: 'binary', maxLength }).map((characters) => characters.toWellFormed())

/** Whatever may be asked of `/things/:id`. */
export const anyRequest: fc.Arbitrary<AnyRequest> = fc.record({
  method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
  id: text(12).filter((id) => !['', '.', '..'].includes(id)),
  query: fc.array(fc.tuple(text(6), text(6)), { maxLength: 3 }),
  fields: fc.uniqueArray(
    fc.tuple(
      fc.stringMatching(/^x-[a-z0-9-]{1,10}$/),
      fc.stringMatching(/^(?:[!-~\x80-\xff](?:[ -~\t]{0,20}[!-~])?)?$/),
    ),
    { maxLength: 5, selector: ([name]) => name },
  ),
  body: text(200).filter((body) => !body.startsWith('\ufeff')),
  chunkSizes: fc.option(fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 6 })),
})

export function writeAny({ method, id, query, fields, body, chunkSizes }: AnyRequest): Buffer {
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString()
  const bytes = Buffer.from(body)
  const framing = chunkSizes === null ? `Content-Length: ${bytes.length}` : 'Transfer-Encoding: chunked'
  const lines = ['Host: x', ...fields.map(([name, value]) => `${name}: ${value}`), framing]
  const path = `/things/${encodeURIComponent(id)}${search === '' ? '' : `?${search}`}`
  const start = asBytes(head(`${method} ${path} HTTP/1.1`, ...lines))
  return Buffer.concat([start, chunkSizes === null ? bytes : writeChunks(bytes, chunkSizes)])
}

function writeChunks(bytes: Buffer, sizes: readonly number[]): Buffer {
  const parts: Buffer[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const chunk = bytes.subarray(at, at + (sizes[turn % sizes.length] ?? 1))
    parts.push(asBytes(`${chunk.length.toString(16)}\r\n`), chunk, asBytes('\r\n'))
    at += chunk.length
  }
  return Buffer.concat([...parts, asBytes('0\r\n\r\n')])
}

/** What its handler must see of it. */
export function meantBy({ method, id, query, fields, body }: AnyRequest): Omit<Echo, 'path' | 'headers'> & {
  readonly fields: Readonly<Record<string, string>>
} {
  return {
    method,
    params: { id },
    query: query.map(([name, value]) => [name, value]),
    fields: Object.fromEntries(fields),
    body,
  }
}

export function seenAs({ method, params, query, headers, body }: Echo): ReturnType<typeof meantBy> {
  const fields = Object.entries(headers).filter(([name]) => name.startsWith('x-'))
  return { method, params, query, fields: Object.fromEntries(fields), body }
}

/** Where to cut bytes into packets, as parts of their length. */
export const anyCuts: fc.Arbitrary<readonly number[]> = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
  maxLength: 12,
})

export function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [
    0,
    ...cuts.map((part) => Math.floor(part * bytes.length)).sort((a, b) => a - b),
    bytes.length,
  ]
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

/** A change of bytes that may leave no request in them, or others. */
export interface Mutation {
  readonly kind: 'change' | 'delete' | 'double' | 'insert'
  readonly at: number
  readonly count: number
  readonly byte: number
  readonly token: string
}

const TOKENS = [
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '0\r\n\r\n',
  'ffffffffffffffff\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: -1\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Expect: 100-continue\r\n',
  'Connection: close\r\n',
  'HTTP/1.0',
  'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n',
]

export const anyMutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('change', 'delete', 'double', 'insert'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  count: fc.integer({ min: 1, max: 40 }),
  byte: fc.integer({ min: 0, max: 255 }),
  token: fc.constantFrom(...TOKENS),
})

export function mutate(bytes: Buffer, { kind, at, count, byte, token }: Mutation): Buffer {
  const place = Math.floor(at * bytes.length)
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)]
  switch (kind) {
    case 'change':
      return Buffer.concat([before, Uint8Array.of(byte), after.subarray(1)])
    case 'delete':
      return Buffer.concat([before, after.subarray(count)])
    case 'double':
      return Buffer.concat([before, after.subarray(0, count), after])
    case 'insert':
      return Buffer.concat([before, asBytes(token), after])
  }
}
