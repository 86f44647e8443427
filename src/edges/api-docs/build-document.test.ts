import { describe, expect, test } from 'bun:test'
import Type, { type TSchema } from 'typebox'
import type { Endpoint, HttpMethod } from '../../serve/ports/exchange.ts'
import type { Access, Contract } from '../../vocabulary/runtime/contract.ts'
import { buildDocument, PARTS } from './build-document.ts'

const ABOUT = { version: '1', currencyName: 'credits' }
const Thing = Type.Object({ id: Type.String() })

function contractOf(id: string, change: Partial<Contract> = {}): Contract {
  const answer = { description: 'It.', name: 'Thing', schema: Thing, example: { id: 'x' } }
  return { id, tag: 'Things', summary: 'Do it', access: 'operator', answer, ...change }
}

function serve(method: HttpMethod, path: string, contract?: Contract): Endpoint {
  return { method, path, handle: () => new Response(), ...(contract && { contract }) }
}

const withBody = (schema: TSchema = Thing) => ({
  body: { name: 'ThingCreate', schema, example: { id: 'x' } },
})

interface LaidOut {
  readonly security: object[]
  readonly responses: Readonly<Record<string, { $ref?: string; content?: unknown }>>
  readonly parameters?: readonly object[]
}

/** The only operation of a document with this endpoint. */
function operationOf(endpoint: Endpoint): LaidOut {
  const [methods] = Object.values(buildDocument([endpoint], ABOUT).paths)
  return Object.values(methods ?? {})[0] as LaidOut
}

const build = (...endpoints: Endpoint[]) => buildDocument(endpoints, ABOUT)

describe('a document', () => {
  test('has one operation per contract, and none for endpoints without', () => {
    const also = [contractOf('second', { documentPath: '/things/{thing}/parts/{part}' })]
    const { paths } = build(
      serve('PUT', '/things/*', contractOf('first', { documentPath: '/things/{thing}', also })),
      serve('GET', '/things/:id', contractOf('third')),
      serve('GET', '/hidden'),
    )
    expect(Object.keys(paths)).toEqual(['/things/{thing}', '/things/{thing}/parts/{part}', '/things/{id}'])
    expect(paths['/things/{thing}/parts/{part}']).toMatchObject({
      put: { operationId: 'second', parameters: [{ name: 'thing' }, { name: 'part' }] },
    })
  })

  test('shows the examples of requests and responses', () => {
    const { responses, ...operation } = operationOf(
      serve('POST', '/things', contractOf('create', withBody())),
    ) as LaidOut & { requestBody?: unknown }
    expect(operation.requestBody).toEqual({
      required: true,
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/ThingCreate' }, example: { id: 'x' } },
      },
    })
    expect(responses['200']?.content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/Thing' }, example: { id: 'x' } },
    })
  })

  test('has no content for redirects', () => {
    const answer = { ...contractOf('go').answer, status: 302, headers: ['location'] }
    const { responses } = operationOf(serve('GET', '/go', contractOf('go', { answer })))
    expect(Object.keys(responses['302'] ?? {})).toEqual(['description', 'headers'])
  })

  test('describes a parameter once', () => {
    const schema = Type.Integer({ minimum: 1, takes: 'a number', description: 'How many.' })
    const parameters = [{ name: 'limit', in: 'query', description: 'How many.', schema }] as const
    expect(operationOf(serve('GET', '/things', contractOf('list', { parameters }))).parameters).toEqual([
      {
        name: 'limit',
        in: 'query',
        description: 'How many.',
        required: false,
        schema: { type: 'integer', minimum: 1 },
      },
    ])
  })
})

describe('building the document fails for', () => {
  test('two different schemas under one name', () => {
    const create = serve('POST', '/things', contractOf('create', withBody()))
    const same = serve(
      'POST',
      '/others',
      contractOf('createOther', withBody(Type.Object({ id: Type.String() }))),
    )
    expect(() => build(create, same)).not.toThrow()
    const other = serve(
      'POST',
      '/others',
      contractOf('createOther', withBody(Type.Object({ id: Type.Null() }))),
    )
    expect(() => build(create, other)).toThrow('Two different schemas are called ThingCreate')
  })

  test('one id for two operations', () => {
    const endpoints = [serve('GET', '/a', contractOf('show')), serve('GET', '/b', contractOf('show'))]
    expect(() => build(...endpoints)).toThrow('Two operations are called show')
  })

  test('one path for two operations', () => {
    const endpoints = [serve('GET', '/a/:id', contractOf('one')), serve('GET', '/a/{id}', contractOf('two'))]
    expect(() => build(...endpoints)).toThrow('GET /a/{id} is described twice')
  })

  test('a header without a description', () => {
    const answer = { ...contractOf('show').answer, headers: ['x-new'] }
    expect(() => build(serve('GET', '/a', contractOf('show', { answer })))).toThrow('The header x-new')
  })

  test('a status that no error has', () => {
    expect(() => build(serve('GET', '/a', contractOf('show', { errors: [418] })))).toThrow('the status 418')
  })

  test('an operation for console users outside the console', () => {
    const endpoint = serve('GET', '/a', contractOf('show', { access: 'signed-in' }))
    expect(() => build(endpoint)).toThrow('GET /a is for console users, but not part of the console')
  })
})

describe('security', () => {
  const securityOf = (method: HttpMethod, path: string, access: Access) =>
    operationOf(serve(method, path, contractOf('call', { access }))).security

  test('lists the schemes for each kind of access', () => {
    expect(securityOf('GET', '/healthz', 'public')).toEqual([])
    expect(securityOf('GET', '/operator/v1/things', 'operator')).toEqual([{ operatorToken: [] }])
    expect(securityOf('GET', '/v1/things', 'key')).toEqual([
      { bearerKey: [] },
      { apiKeyHeader: [] },
      { googApiKeyHeader: [] },
      { vendorApiKeyHeader: [] },
    ])
    expect(securityOf('GET', '/v1beta/things', 'key')).toContainEqual({ keyQuery: [] })
  })

  test('in the console requires the cookie, and a token for changes', () => {
    for (const access of ['signed-in', 'see-account', 'manage-account', 'operator'] as const) {
      expect(securityOf('GET', '/console/api/things', access)).toEqual([{ consoleSession: [] }])
      expect(securityOf('PUT', '/console/api/things', access)).toEqual([
        { consoleSession: [], csrfToken: [] },
      ])
    }
    expect(securityOf('GET', '/console/api/session', 'public')).toEqual([])
    expect(securityOf('POST', '/console/api/sign-in', 'public')).toEqual([{ csrfToken: [] }])
  })
})

describe('errors', () => {
  const statusesOf = (path: string, access: Access, change: Partial<Contract> = {}) =>
    Object.keys(operationOf(serve('POST', path, contractOf('call', { access, ...change }))).responses)

  test('follow from the access unless the contract lists them', () => {
    const read = ['200', '400', '401', '404', '429', '500', '503']
    expect(statusesOf('/operator/v1/a', 'operator')).toEqual(read)
    expect(statusesOf('/operator/v1/a', 'operator', withBody())).toEqual([...read, '413', '415'].toSorted())
    expect(statusesOf('/console/api/a', 'see-account')).toEqual([...read, '403'].toSorted())
    expect(statusesOf('/v1/a', 'key')).toEqual(['200', '401', '403', '404', '429', '500', '503'])
    expect(statusesOf('/v1/a', 'key', withBody())).toContain('504')
    expect(statusesOf('/healthz', 'public')).toEqual(['200'])
    expect(statusesOf('/operator/v1/a', 'operator', { errors: [404] })).toEqual(['200', '404'])
  })

  test('have rate-limit headers for callers with limits', () => {
    const answersOf = (path: string, access: Access) =>
      operationOf(serve('GET', path, contractOf('call', { access }))).responses['429']
    expect(answersOf('/v1/a', 'key')).toEqual({ $ref: '#/components/responses/Error429WithLimits' })
    expect(answersOf('/operator/v1/a', 'operator')).toEqual({ $ref: '#/components/responses/Error429' })
  })

  test('have the shape that the endpoint gives them', () => {
    const errorBody = { name: 'WrappedError', fields: { type: Type.Literal('error') } }
    const contract = contractOf('call', { access: 'key', errors: [500], errorBody })
    const endpoint = {
      ...serve('GET', '/v1/a', contract),
      dressError: (body: object) => ({ type: 'error', ...body }),
    }
    const { components } = build(endpoint)
    expect(components.schemas?.WrappedError).toMatchObject({ required: ['type', 'error'] })
    expect(components.responses?.WrappedError500).toMatchObject({
      content: {
        'application/json': {
          examples: { internal_error: { value: { type: 'error', error: { code: 'internal_error' } } } },
        },
      },
    })
  })
})

test('every operation is in one of the three parts', () => {
  const session = contractOf('showSession', { access: 'signed-in' })
  const endpoints = [
    serve('GET', '/v1/models', contractOf('listModels', { access: 'key' })),
    serve('GET', '/healthz', contractOf('checkHealth', { access: 'public' })),
    serve('GET', '/operator/v1/accounts', contractOf('listAccounts')),
    serve('GET', '/console/api/session', session),
  ]
  const pathsOf = PARTS.map((part) => Object.keys(buildDocument(endpoints, ABOUT, part).paths))
  expect(pathsOf).toEqual([['/v1/models', '/healthz'], ['/operator/v1/accounts'], ['/console/api/session']])
  expect(Object.keys(buildDocument(endpoints, ABOUT).paths)).toHaveLength(4)
})

test('the introduction calls the currency as the settings do', () => {
  expect(JSON.stringify(build().info)).toContain('decimal strings in credits')
})
