import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { editMembers, isSameName, readMember } from './edit-members.ts'

test.each([
  ['{"a":1.0,"b":{"c_d":[1, 2]}}', 'a', '1.0'],
  ['{"a":1.0,"b":{"c_d":[1, 2]}}', 'b.cD', '[1, 2]'],
  ['{"a":1.0,"b":{"c_d":[1, 2]}}', 'b.e', null],
  ['{"a":1.0}', 'a.b', null],
  ['[1]', 'a', null],
])('in %s, %s is %p', (text, path, value) => expect(readMember(text, path)).toBe(value))

describe('members of a JSON text', () => {
  test.each([
    ['{"a":1,"b":2,"c":3}', ['b'], '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['a'], '{"b":2,"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['c'], '{"a":1,"b":2}'],
    ['{"a":1,"b":2,"c":3}', ['b', 'c'], '{"a":1}'],
    ['{"a":1,"b":2,"c":3}', ['a', 'b', 'c'], '{}'],
    [' { "a" : 1.0 , "b" : [ "}" , {"a":2} ] } ', ['a'], ' { "b" : [ "}" , {"a":2} ] } '],
    ['{"t\\u006fp_k":5,"x":1e5}', ['top_k'], '{"x":1e5}'],
    [
      '{"generation_config":{"top_k":1,"topP":0.50},"contents":[]}',
      ['generationConfig.topK'],
      '{"generation_config":{"topP":0.50},"contents":[]}',
    ],
    ['{"a":{"b":1},"c":2}', ['a.b.d'], '{"a":{"b":1},"c":2}'],
    ['{"a":{"b":1},"c":2}', ['b'], '{"a":{"b":1},"c":2}'],
    ['[1]', ['a'], '[1]'],
  ])('%s without %p', (text, removed, expected) => {
    const edited = editMembers(text, { removed })
    expect(edited.text).toBe(expected)
    expect(edited.removed).toEqual(edited.text === text ? [] : removed)
  })

  test('get another name, and one that had it before gives way', () => {
    const renamed = { max_completion_tokens: 'max_tokens', seed: 'random_seed' }
    expect(editMembers('{"max_completion_tokens":10,"x":1.0}', { removed: [], renamed }).text).toBe(
      '{"max_tokens":10,"x":1.0}',
    )
    expect(editMembers('{"max_tokens":5,"max_completion_tokens":10}', { removed: [], renamed }).text).toBe(
      '{"max_tokens":10}',
    )
    expect(editMembers('{"max_tokens":5}', { removed: [], renamed }).text).toBe('{"max_tokens":5}')
  })

  test('that stay are worth what they were worth, whatever is left out', () => {
    const names = fc.constantFrom('a', 'b', 'model', 'top_p', 'x y', 'é"')
    fc.assert(
      fc.property(
        fc.dictionary(names, fc.jsonValue()),
        fc.uniqueArray(names),
        fc.constantFrom(0, 2),
        (object, removed, indent) => {
          const { text } = editMembers(JSON.stringify(object, null, indent), { removed })
          const kept = Object.entries(object).filter(([name]) => !removed.some((other) => other === name))
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(kept))))
        },
      ),
    )
  })
})

test('names are the same whatever their spelling', () => {
  expect(isSameName('presencePenalty', 'presence_penalty')).toBe(true)
  expect(isSameName('top_p', 'top_k')).toBe(false)
})
