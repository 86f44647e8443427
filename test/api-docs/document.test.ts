import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { startTurnpike, type Turnpike } from '../../src/app/turnpike.ts'
import { operationsOf as describedOperations } from '../../src/edges/api-docs/build-document.ts'
import { readSettings } from '../../src/edges/settings/read-settings.ts'
import { ERROR_CODES } from '../../src/errors/codes.ts'
import { createCollectedLog } from '../support/collected-log.ts'
import { realClock } from '../support/movable-clock.ts'
import {
  type ApiDocument,
  answerSchemaOf,
  bodySchemaOf,
  inlineReferences,
  type NamedOperation,
  operationsOf,
  problemsOf,
} from './api-document.ts'

const TOKEN = 'operator-token-for-tests-0123456789'
const KEY = 'sk-bootstrap-key-for-tests'
const ERROR = { $ref: '#/components/schemas/Error' }
const ROOT = join(import.meta.dirname, '../..')

let folder: string
let turnpike: Turnpike
let document: ApiDocument
let operations: NamedOperation[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-document-'))
  const settings = readSettings({
    PORT: '0',
    TURNPIKE_DATA: folder,
    TURNPIKE_OPERATOR_TOKEN: TOKEN,
    TURNPIKE_BOOTSTRAP_KEY: KEY,
    TURNPIKE_SANDBOX: 'on',
  })
  turnpike = await startTurnpike(settings, { clock: realClock, random: () => 0.5, log: createCollectedLog() })
  document = (await (await fetch(`${turnpike.url}/openapi.json`)).json()) as ApiDocument
  operations = operationsOf(document)
})
afterAll(async () => {
  await turnpike.stop(0)
  rmSync(folder, { recursive: true, force: true })
})

function find(name: string): NamedOperation {
  const found = operations.find((operation) => operation.name === name)
  if (found === undefined) throw new Error(`${name} is not in the document`)
  return found
}

describe('the document', () => {
  test('describes every part of every path', () => {
    const missing = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { parameters = [] }]) => {
        const described = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
        const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        return named
          .filter((name) => !described.includes(name ?? ''))
          .map((name) => `${method} ${path}: ${name}`)
      }),
    )
    expect(missing).toEqual([])
  })

  test('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toStartWith('3.1.')
    const copy = structuredClone({ ...document })
    expect(await new Validator().validate(copy)).toEqual({ valid: true })
  })

  test('has no broken references', () => {
    expect(() => inlineReferences(document, document.paths)).not.toThrow()
  })

  test('names each operation once', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(ids).toEqual([...new Set(ids)])
  })

  test('lists every error code', () => {
    const envelope = (code: string) => ({ error: { message: '', type: code, code, param: null } })
    const problems = (code: string) => problemsOf(document, ERROR, envelope(code))
    const text = JSON.stringify(document)
    for (const code of Object.keys(ERROR_CODES)) {
      expect([code, problems(code)]).toEqual([code, []])
      expect(text).toContain(`| \`${code}\` |`)
    }
    expect(problems('no_such_code')).not.toEqual([])
  })
})

describe('operations and endpoints', () => {
  test('every endpoint with a contract is in the document, under a path that names its parts', () => {
    const names = describedOperations(turnpike.endpoints).map(
      ({ endpoint, path }) => `${endpoint.method} ${path}`,
    )
    expect(operations.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    expect(names.filter((name) => /[*]|:\w+\//.test(name))).toEqual([])
  })

  test('the document does not show internals of the validator', () => {
    expect(JSON.stringify(document)).not.toContain('"takes"')
  })

  test('every tag says what it is about', () => {
    const { tags } = document as unknown as { tags: { name: string; description?: string }[] }
    expect(tags.filter(({ description }) => description === undefined)).toEqual([])
  })
})

describe('examples', () => {
  test('of requests fit the schema they stand beside', () => {
    const withBody = operations.filter(({ requestBody }) => requestBody !== undefined)
    expect(withBody.length).toBeGreaterThan(15)
    for (const operation of withBody) {
      const { example } = Object.values(operation.requestBody?.content ?? {})[0] ?? {}
      const problems = problemsOf(document, bodySchemaOf(operation), example)
      expect([operation.operationId, problems]).toEqual([operation.operationId, []])
    }
  })

  test('stand beside every answer that has a body', () => {
    const without = operations.filter(({ responses }) =>
      Object.entries(responses).some(([status, { content = {} }]) => {
        const [whole] = Object.values(content as Record<string, { example?: unknown }>)
        return status.startsWith('2') && whole?.example === undefined
      }),
    )
    expect(without.map(({ name }) => name)).toEqual([])
  })

  test('of answers fit the schema they stand beside', () => {
    let checked = 0
    for (const { name, responses } of operations) {
      for (const [status, response] of Object.entries(responses)) {
        const { content = {} } = response as { content?: Record<string, { schema: Json; example?: unknown }> }
        for (const { schema, example } of Object.values(content)) {
          if (example === undefined) continue
          expect([name, status, problemsOf(document, schema, example)]).toEqual([name, status, []])
          checked++
        }
      }
    }
    expect(checked).toBeGreaterThan(35)
  })

  test('of errors fit their schema', () => {
    for (const [name, response] of Object.entries(document.components.responses ?? {})) {
      const content = (response.content as Record<string, Json>)['application/json'] as unknown as {
        schema: Json
        examples: Record<string, { value: unknown }>
      }
      for (const { value } of Object.values(content.examples)) {
        expect([name, problemsOf(document, content.schema, value)]).toEqual([name, []])
      }
    }
  })

  test('of the README and of the first pages fit the schemas', () => {
    const calls = [...callsOf('README.md'), ...callsOf('docs/start/real-suppliers.md')]
    expect(calls.map(({ name }) => name)).toEqual([
      'POST /v1/chat/completions',
      'PUT /operator/v1/suppliers/{id}',
      'POST /operator/v1/suppliers/{id}/credentials',
      'PUT /operator/v1/models/{model}',
      'PUT /operator/v1/models/{model}/routes/{supplier}',
    ])
    for (const { name, body } of calls) {
      expect([name, problemsOf(document, bodySchemaOf(find(name)), body)]).toEqual([name, []])
    }
  })
})

type Json = Readonly<Record<string, unknown>>

/** The calls with a JSON body on a page, under the names the document gives them. */
function callsOf(page: string): { name: string; body: unknown }[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll('\\\n', ' ')
  return [...text.matchAll(/^curl (.*?) -d '(\{.*\})'$/gm)].map(([, head = '', body = '']) => {
    const method = /-X (\w+)/.exec(head)?.[1] ?? 'POST'
    const path = (/(\$U\S*|https?:\S+)/.exec(head)?.[1] ?? '')
      .replace('$U', '/operator/v1')
      .replace(/^https?:\/\/[^/]+/, '')
    const name = operations.find(
      (each) => each.name.startsWith(`${method} `) && matches(each.name, path),
    )?.name
    return { name: name ?? `${method} ${path}`, body: JSON.parse(body) }
  })
}

function matches(name: string, path: string): boolean {
  const template = name.slice(name.indexOf(' ') + 1)
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
}

describe('real answers of the gateway fit the document', () => {
  const ask = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(`${turnpike.url}${path}`, {
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })

  const expectFit = async (name: string, response: Response) => {
    const schema = answerSchemaOf(document, find(name), response.status)
    const answer: unknown = await response.json()
    expect([name, response.status, problemsOf(document, schema, answer), answer]).toEqual([
      name,
      response.status,
      [],
      answer,
    ])
  }

  test('in every format with JSON bodies, with the example of the document', async () => {
    const generating = operations.filter(
      ({ name, requestBody }) =>
        /^POST \/(v1|v1beta)\//.test(name) && Object.hasOwn(requestBody?.content ?? {}, 'application/json'),
    )
    for (const operation of generating.filter(({ name }) => !/:stream|\{id\}/.test(name))) {
      const { example } = Object.values(operation.requestBody?.content ?? {})[0] ?? {}
      const model = /embed/i.test(operation.name) ? 'sandbox-embedding' : 'sandbox-chat'
      const response = await ask(operation.name.replace('POST ', '').replace('{model}', model), example)
      expect([operation.name, response.status]).toEqual([operation.name, 200])
      // Speech is the only answer that is not JSON.
      if (operation.name === 'POST /v1/audio/speech')
        expect(response.headers.get('content-type')).toBe('audio/wav')
      else await expectFit(operation.name, response)
    }
  })

  test('for kept responses', async () => {
    const { id } = (await (
      await ask('/v1/responses', { model: 'sandbox-chat', input: 'Hello!' })
    ).json()) as { id: string }
    await expectFit('GET /v1/responses/{id}', await ask(`/v1/responses/${id}`))
    await expectFit('GET /v1/responses/{id}/input_items', await ask(`/v1/responses/${id}/input_items`))
    const deleted = await fetch(`${turnpike.url}/v1/responses/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${KEY}` },
    })
    await expectFit('DELETE /v1/responses/{id}', deleted)
    await expectFit('GET /v1/responses/{id}', await ask(`/v1/responses/${id}`))
  })

  test('for conversations and their items', async () => {
    const created = await ask('/v1/conversations', { metadata: { topic: 'greeting' } })
    const { id } = (await created.clone().json()) as { id: string }
    await expectFit('POST /v1/conversations', created)
    const items = [{ type: 'message', role: 'user', content: 'Hello!' }]
    const [path, name] = [`/v1/conversations/${id}`, '/v1/conversations/{id}']
    await expectFit(`POST ${name}`, await ask(path, { metadata: {} }))
    await expectFit(`POST ${name}/items`, await ask(`${path}/items`, { items }))
    await expectFit(`GET ${name}`, await ask(path))
    await expectFit(`GET ${name}/items`, await ask(`${path}/items`))
  })

  test('for stored chat completions', async () => {
    const body = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }], store: true }
    const { id } = (await (await ask('/v1/chat/completions', body)).json()) as { id: string }
    const [path, name] = [`/v1/chat/completions/${id}`, '/v1/chat/completions/{id}']
    await expectFit('GET /v1/chat/completions', await ask('/v1/chat/completions'))
    await expectFit(`GET ${name}`, await ask(path))
    await expectFit(`POST ${name}`, await ask(path, { metadata: { topic: 'greeting' } }))
    await expectFit(`GET ${name}/messages`, await ask(`${path}/messages`))
  })

  test('for background responses', async () => {
    const body = { model: 'sandbox-chat', input: 'Hello!', background: true }
    const queued = await ask('/v1/responses', body)
    const { id } = (await queued.clone().json()) as { id: string }
    await expectFit('POST /v1/responses', queued)
    await expectFit('GET /v1/responses/{id}', await ask(`/v1/responses/${id}`))
    await expectFit('POST /v1/responses/{id}/cancel', await ask(`/v1/responses/${id}/cancel`, {}))
    await expectFit('GET /v1/responses/{id}', await ask(`/v1/responses/${id}?stream=true`))
  })

  test('for models, health and refusals', async () => {
    await expectFit('GET /v1/models', await ask('/v1/models'))
    await expectFit('GET /v1/models/{model}', await ask('/v1/models/sandbox-chat'))
    await expectFit('GET /v1/limits', await ask('/v1/limits'))
    await expectFit('GET /v1/limits', await ask('/v1/limits?model=nobody'))
    await expectFit('GET /v1beta/models', await ask('/v1beta/models'))
    await expectFit('GET /v1beta/models/{model}', await ask('/v1beta/models/sandbox-chat'))
    await expectFit('GET /healthz', await ask('/healthz'))
    await expectFit('GET /readyz', await ask('/readyz'))
    await expectFit('POST /v1/messages', await ask('/v1/messages', { model: 'sandbox-chat' }))
    await expectFit('POST /v1/chat/completions', await ask('/v1/chat/completions', {}))
    await expectFit('POST /v1/images/edits', await ask('/v1/images/edits', {}))
    const stranger = { authorization: 'Bearer sk-unknown' }
    await expectFit('GET /v1/models', await ask('/v1/models', undefined, stranger))
  })
})
