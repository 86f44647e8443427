import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { GatewayError } from '../errors/gateway-error.ts'
import { findTopLevelMembers, insertMember, replaceMembers, TopLevelMembers } from './json-members.ts'

function membersOf(text: string): Record<string, unknown> {
  const found = [...findTopLevelMembers(text)].map(([name, { start, end }]) => [
    name,
    JSON.parse(text.slice(start, end)),
  ])
  return Object.fromEntries(found)
}

// Object.fromEntries and JSON.parse treat `__proto__` differently from assignment, so it is a good name to try.
const key = fc.oneof(fc.string(), fc.constantFrom('model', '__proto__', 'a"b', 'back\\slash', '\n', '😀'))
const object = fc.dictionary(key, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 8 })

describe('findTopLevelMembers', () => {
  test('finds exactly what a parser finds, however the text is spaced', () => {
    fc.assert(
      fc.property(object, fc.constantFrom(0, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space)
        expect(membersOf(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 500, seed: 3 },
    )
  })

  test('is not misled by quotes and backslashes within strings', () => {
    const tricky = fc.string({
      unit: fc.constantFrom('"', '\\', 'a', ',', ':', '{', '}', '[', ']'),
      maxLength: 30,
    })
    fc.assert(
      fc.property(
        fc.dictionary(tricky, fc.oneof(tricky, fc.array(tricky), fc.dictionary(tricky, tricky))),
        (value) => {
          expect(membersOf(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
        },
      ),
      { numRuns: 2_000, seed: 6 },
    )
  })

  test('spans hold the value alone', () => {
    const text = ' { "model" : "a\\"b" , "n":12 ,"x":[{"}":"]"}], "t" :true}'
    const slices = [...findTopLevelMembers(text)].map(([name, { start, end }]) => [
      name,
      text.slice(start, end),
    ])
    expect(slices).toEqual([
      ['model', '"a\\"b"'],
      ['n', '12'],
      ['x', '[{"}":"]"}]'],
      ['t', 'true'],
    ])
  })

  test.each(['[]', '"model"', '7', 'null', '{}', ' { } '])('%s has no members', (text) => {
    expect(findTopLevelMembers(text).size).toBe(0)
  })

  test.each([
    ['{"model":"a","model":"b"}', 'model'],
    ['{"model":"a","mod\\u0065l":"b"}', 'model'],
    ['{"\\u006dodel":"a","x":{"model":1},"model":"b"}', 'model'],
    ['{"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ])('%s repeats a name', (text, name) => {
    const find = () => findTopLevelMembers(text)
    expect(find).toThrow(GatewayError)
    expect(find).toThrow(`The body has the member "${name}" more than once.`)
  })

  test('the same name deeper down is no repetition', () => {
    expect([...findTopLevelMembers('{"a":{"a":1,"b":{"a":2}},"b":[{"a":1},{"a":1}]}').keys()]).toEqual([
      'a',
      'b',
    ])
  })

  test('nesting up to 512 levels is fine, deeper is refused', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)},"b":1}`
    expect([...findTopLevelMembers(nested(512)).keys()]).toEqual(['a', 'b'])
    expect(() => findTopLevelMembers(nested(513))).toThrow('nested more than 512 levels')
    expect(() => findTopLevelMembers(nested(1_000_000))).toThrow(GatewayError)
  })

  test('runs of backslashes and quotes stay linear', () => {
    const text = `{"a":"${'\\\\'.repeat(1_000_000)}","b":"${'\\"'.repeat(1_000_000)}","c":1}`
    const startedAt = performance.now()
    expect(findTopLevelMembers(text).get('c')).toEqual({ start: text.length - 2, end: text.length - 1 })
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })

  test('text that is not JSON ends the search', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        findTopLevelMembers(`{"a":${text}`)
      }),
      { numRuns: 300, seed: 4 },
    )
  })
})

describe('TopLevelMembers', () => {
  test('knows every member as the search does, and no other', () => {
    fc.assert(
      fc.property(object, fc.constantFrom(0, 1, '\t'), key, (value, space, name) => {
        const text = JSON.stringify(value, null, space)
        const members = new TopLevelMembers(text, JSON.parse(text))
        const found = findTopLevelMembers(text)
        for (const [each, span] of found) expect(members.get(each)).toEqual(span)
        expect(members.get(name)).toEqual(found.get(name))
      }),
      { numRuns: 500, seed: 5 },
    )
  })

  test('a name may be written with escapes', () => {
    const text = '{"\\u006dodel":"a"}'
    expect(new TopLevelMembers(text, JSON.parse(text)).get('model')).toEqual({ start: 14, end: 17 })
  })

  test.each(['{"model":"a","x":1,"mod\\u0065l":"b"}', '{"__proto__":1,"__proto__":2}', '{"":1,"":2}'])(
    '%s repeats a name',
    (text) => {
      expect(() => new TopLevelMembers(text, JSON.parse(text))).toThrow('more than once')
    },
  )

  test('nesting too deeply is refused', () => {
    const text = `{"a":${'['.repeat(513)}${']'.repeat(513)}}`
    expect(() => new TopLevelMembers(text, JSON.parse(text))).toThrow('nested more than 512 levels')
  })
})

describe('changing members', () => {
  test('replaces spans in any order and leaves the rest alone', () => {
    const text = '{ "a": 1,  "b":"x" , "c":null }'
    const members = findTopLevelMembers(text)
    const replacements = ['c', 'a'].flatMap((name) => {
      const span = members.get(name)
      return span ? [{ span, json: '"new"' }] : []
    })
    expect(replaceMembers(text, replacements)).toBe('{ "a": "new",  "b":"x" , "c":"new" }')
  })

  test.each([
    ['{}', '{"n":1}'],
    [' { } ', ' {"n":1 } '],
    ['{"a":2}', '{"n":1,"a":2}'],
  ])('inserts into %s', (text, expected) => expect(insertMember(text, 'n', '1')).toBe(expected))
})
