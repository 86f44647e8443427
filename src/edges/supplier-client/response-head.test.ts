import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ResponseHead } from './response-reader.ts'

const NAMES = [
  'Date',
  'content-length',
  'Content-Type',
  'SET-Thing',
  'x-RateLimit-Reset-Tokens',
  '`',
  '^a',
  'Z_',
]
const value = fc.string({ maxLength: 12 }).map((text) => text.trim())
const blanks = fc.constantFrom('', ' ', '\t', ' \t ')
const fields = fc.array(fc.tuple(fc.constantFrom(...NAMES), value, blanks, blanks), { maxLength: 12 })

function headOf(lines: readonly (readonly [string, string, string, string])[], after: string): ResponseHead {
  const text = `HTTP/1.1 200 OK${lines.map(([name, text, before, behind]) => `\r\n${name}:${before}${text}${behind}`).join('')}`
  return new ResponseHead(Buffer.from(`${text}\r\n\r\n${after}`), text.length)
}

function visited(forEach: (visit: (value: string, name: string) => void) => void): string[] {
  const seen: string[] = []
  forEach((text, name) => seen.push(`${name}: ${text}`))
  return seen
}

test('fields are found by their names in small letters, and repeated ones are lists', () => {
  fc.assert(
    fc.property(fields, fc.constantFrom('', 'date: of the body\r\n\r\n'), (lines, after) => {
      const head = headOf(lines, after)
      const expected = new Headers()
      for (const [name, text] of lines) expected.append(name, text)
      for (const name of [...NAMES.map((each) => each.toLowerCase()), 'dat', 'dates', 'server']) {
        expect(head.get(name)).toBe(expected.get(name))
        expect(head.has(name)).toBe(expected.has(name))
      }
    }),
  )
})

test('all fields are visited in their order, or those with something in their names', () => {
  fc.assert(
    fc.property(
      fields,
      fc.constantFrom('ratelimit-', 'con', 't', '-', 'tokens', 'nowhere'),
      (lines, part) => {
        const head = headOf(lines, 'ratelimit-')
        const all = lines.map(([name, text]) => `${name.toLowerCase()}: ${text}`)
        expect(visited((visit) => head.forEach(visit))).toEqual(all)
        expect(visited((visit) => head.forEachNamed(part, visit))).toEqual(
          all.filter((line) => line.slice(0, line.indexOf(':')).includes(part)),
        )
      },
    ),
  )
})
