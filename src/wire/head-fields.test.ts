import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { acceptsEncoding, HeadFields, markBytes } from './head-fields.ts'

function fieldsOf(...lines: readonly string[]): HeadFields {
  const bytes = Buffer.from(`\r\n${lines.join('\r\n')}`, 'latin1')
  return new HeadFields(bytes, 0, bytes.length)
}

describe('digits', () => {
  test('reads a header in any case, ignoring blanks around its value', () => {
    const fields = fieldsOf('host: example.org', 'Content-LENGTH: \t 1234 ')
    expect(fields.digits('content-length')).toBe(1234)
  })

  test('returns null for a missing header', () => {
    expect(fieldsOf('host: example.org').digits('content-length')).toBeNull()
  })

  test.each(['', '+1', '-1', '1.0', '1e3', '0x10', '1 2', '1, 1', '12345678901234567'])(
    'returns NaN for %p',
    (value) => {
      expect(fieldsOf(`content-length: ${value}`).digits('content-length')).toBeNaN()
    },
  )

  test('returns NaN for a repeated header', () => {
    expect(fieldsOf('content-length: 5', 'content-length: 5').digits('content-length')).toBeNaN()
  })

  test('agrees with the text of the header', () => {
    const value = fc.oneof(fc.nat().map(String), fc.stringMatching(/^[0-9 ,a]{0,17}$/))
    fc.assert(
      fc.property(value, (text) => {
        const fields = fieldsOf(`content-length: ${text}`)
        const expected = /^\d{1,15}$/.test(fields.get('content-length') ?? '') ? Number(text) : Number.NaN
        expect(fields.digits('content-length')).toBe(expected)
      }),
    )
  })
})

describe('consistsOf', () => {
  const marked = markBytes('.:-')

  test('returns false for values with other bytes', () => {
    expect(fieldsOf('Host: \texample.org:80 ').consistsOf('host', marked)).toBe(true)
    expect(fieldsOf('host:').consistsOf('host', marked)).toBe(true)
    expect(fieldsOf('host: example.org/a').consistsOf('host', marked)).toBe(false)
    expect(fieldsOf('host: ex\xe4mple.org').consistsOf('host', marked)).toBe(false)
  })

  test('returns false for a repeated header', () => {
    expect(fieldsOf('host: a', 'host: a').consistsOf('host', marked)).toBe(false)
  })

  test('returns null for a missing header', () => {
    expect(fieldsOf('accept: a').consistsOf('host', marked)).toBeNull()
  })
})

test('accepts an encoding that is listed with a weight above zero', () => {
  const takes = (value: string) => acceptsEncoding(new Headers({ 'accept-encoding': value }), 'br')
  expect([takes('gzip, br'), takes('BR;q=0.5'), takes('br;q=0'), takes('gzip'), takes('brotli')]).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
