import { expect, test } from 'bun:test'
import { compareDocuments } from './compare-openapi.ts'

type ApiDocument = Parameters<typeof compareDocuments>[0]

const Thing = { type: 'object', required: ['id', 'name'], properties: { id: { type: 'string' } } } as const

function documentOf(
  schemas: ApiDocument['components'][string],
  more: ApiDocument['paths'] = {},
): ApiDocument {
  const [name = ''] = Object.keys(schemas)
  const content = {
    'application/json': { schema: { $ref: `#/components/schemas/${name}` }, example: [2, 1] },
  }
  return {
    paths: { '/things': { get: { responses: { 200: { content } } } }, ...more },
    components: { schemas },
  }
}

test('ignores component names and the order of lists', () => {
  const after = documentOf({ Renamed: { ...Thing, required: ['name', 'id'] } })
  expect(compareDocuments(documentOf({ Thing }), after)).toEqual({
    added: [],
    removed: [],
    changed: new Map(),
  })
})

test('reports what was added, removed or changed, once for all operations that share it', () => {
  const before = documentOf({ Thing }, { '/old': { get: {} } })
  const after = documentOf(
    { Thing: { ...Thing, properties: { id: { type: 'integer' } } } },
    { '/new': { get: {} } },
  )
  expect(compareDocuments(before, after)).toEqual({
    added: ['GET /new'],
    removed: ['GET /old'],
    changed: new Map([
      [
        '~ /responses/200/content/application/json/schema/properties/id/type: "string" → "integer"',
        ['GET /things'],
      ],
    ]),
  })
})
