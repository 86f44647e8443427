import { describe, expect, test } from 'bun:test'
import { checkJson } from './check-json.ts'
import { EXAMPLE_SCHEMA, EXAMPLE_TOOL, findToolProblems, NEW_TOOL, readSchema } from './read-schema.ts'

test('a schema is an object of type object', () => {
  expect(readSchema(EXAMPLE_SCHEMA)).toHaveProperty('schema')
  for (const text of ['', '{', '[]', 'null', '7', '{"type":"string"}', '{}']) {
    expect(readSchema(text)).toHaveProperty('problem')
  }
})

test('a function needs a name of its own and a schema', () => {
  expect(findToolProblems(EXAMPLE_TOOL, [])).toEqual({})
  expect(findToolProblems(EXAMPLE_TOOL, [EXAMPLE_TOOL])).toHaveProperty('name')
  expect(Object.keys(findToolProblems({ ...NEW_TOOL, parameters: '{' }, []))).toEqual(['name', 'parameters'])
  expect(findToolProblems({ ...NEW_TOOL, name: 'a b' }, [])).toHaveProperty('name')
})

describe('checkJson', () => {
  const schema = JSON.parse(EXAMPLE_SCHEMA)

  test('accepts what follows the schema', () => {
    expect(checkJson('{"title":"a","tags":["b"]}', schema)).toEqual([])
  })

  test('says what is wrong and where', () => {
    expect(checkJson('{"title":7,"tags":[]}', schema)).toEqual(['/title: must be string.'])
    expect(checkJson('{"title":"a"}', schema)[0]).toContain('tags')
    expect(checkJson('not JSON', schema)).toEqual(['The response is not valid JSON.'])
    expect(checkJson('{}', { type: 'object', $ref: '#/nowhere' })).not.toBeNull()
  })
})
