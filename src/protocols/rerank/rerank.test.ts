import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../errors/gateway-error.ts'
import { rerank } from './index.ts'
import { readRequest } from './read-request.ts'

const supply = { upstreamModel: 'up', refused: [] }
const read = (text: string) => readRequest(JSON.parse(text), text)

describe('a request', () => {
  test('keeps every character but for the model', () => {
    const text = '{"model":"m", "query":"\\u0071","documents": ["a", "\\u0062"],"seed":12345678901234567890}'
    expect(rerank.encodeRequest(read(text), supply)).toEqual({
      body: '{"model":"up","query":"\\u0071","documents": ["a", "\\u0062"],"seed":12345678901234567890}',
      dropped: [],
    })
  })

  test('has texts in the place of objects, and not what only the gateway needs', () => {
    const text = JSON.stringify({
      model: 'm',
      query: 'q',
      documents: [{ text: 'a', id: 1 }, 'b', { image: 'c' }],
      return_documents: true,
      top_n: 1,
    })
    const { body } = rerank.encodeRequest(read(text), supply)
    expect(JSON.parse(body)).toEqual({
      model: 'up',
      query: 'q',
      documents: ['a', 'b', { image: 'c' }],
      top_n: 1,
    })
  })

  test('has the fields to rank as lines', () => {
    const documents = [{ title: 'T', year: 7, tags: ['x'] }, { none: 1 }]
    const rank_fields = ['year', 'title', 'year', 'tags', 'toString']
    const request = read(JSON.stringify({ model: 'm', query: 'q', documents, rank_fields }))
    expect(request.texts).toEqual(['year: 7\ntitle: T\ntags: ["x"]', null])
  })

  test('leaves out and names what the supplier has refused before', () => {
    const text = '{"model":"m","query":"q","documents":["a"],"priority":1,"max_chunks_per_doc":2}'
    const refused = ['max_chunks_per_doc', 'other']
    expect(rerank.encodeRequest(read(text), { ...supply, refused })).toEqual({
      body: '{"model":"up","query":"q","documents":["a"],"priority":1}',
      dropped: ['max_chunks_per_doc'],
    })
  })

  test('names a document that is none', () => {
    const text = '{"model":"m","query":"q","documents":["a",null]}'
    expect(() => read(text)).toThrow(GatewayError)
    expect(() => read(text)).toThrow('documents[1] must be a string')
  })

  test('has no name twice', () => {
    const text = '{"model":"m","query":"q","documents":["a"],"qu\\u0065ry":"other"}'
    expect(() => read(text)).toThrow('The body has the member "query" more than once.')
  })
})

describe('a reply', () => {
  test.each([
    [
      'search units',
      { meta: { billed_units: { search_units: 2 } } },
      { input: 0, details: { searchUnits: 2 } },
    ],
    ['tokens', { usage: { total_tokens: 9 } }, { input: 9 }],
    ['prompt tokens', { usage: { prompt_tokens: 8 } }, { input: 8 }],
    [
      'both',
      { usage: { total_tokens: 9 }, meta: { billed_units: { search_units: 1 } } },
      { input: 9, details: { searchUnits: 1 } },
    ],
    ['billed tokens', { meta: { billed_units: { input_tokens: 5 } } }, { input: 5 }],
  ])('with %s', (_what, members, usage) => {
    expect(rerank.decodeReply({ results: [], ...members })?.usage).toMatchObject(usage)
  })

  test.each([{}, { usage: { total_tokens: -1 } }, { usage: { total_tokens: 1.5 } }, { usage: 'x', meta: 1 }])(
    'reports nothing: %j',
    (members) => {
      expect(rerank.decodeReply({ results: [], ...members })?.usage).toBeNull()
    },
  )

  test.each([[null], [[]], [{}], [{ results: {} }], [{ results: [{ index: 0 }] }], [{ results: [null] }]])(
    'is none: %j',
    (body) => {
      expect(rerank.decodeReply(body)).toBeNull()
    },
  )
})

test('the words of an unknown field name it', () => {
  const message =
    "unknown field: parameter 'max_chunks_per_doc' is not a valid field. For proper usage, see …"
  expect(rerank.decodeError(422, JSON.stringify({ id: 'x', message }))).toMatchObject({
    kind: 'input',
    refusedParam: 'max_chunks_per_doc',
    refusedScope: 'parameter',
  })
})
