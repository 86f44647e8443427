import { afterAll, beforeAll, expect, test } from 'bun:test'
import { UsageError } from '../../src/cli/command.ts'
import { createPricesCommand } from '../../src/cli/commands/supply/prices.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  await put('/suppliers/groq', { type: 'openai-compatible', base_url: 'https://api.groq.com/openai/v1' })
  await put('/models/meta%2Fllama', { owned_by: 'meta' })
  await put('/models/meta%2Fllama/routes/groq', {
    upstream_model: 'llama-3.3-70b-versatile',
    price: { input: '9', output: '9' },
  })
})
afterAll(() => gateway.stop())

async function put(path: string, body: object): Promise<void> {
  const response = await fetch(`${gateway.url}/operator/v1${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect([path, response.status]).toEqual([path, 200])
}

async function type(...words: string[]): Promise<string> {
  let printed = ''
  const environment = { TURNPIKE_URL: gateway.url, TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN }
  const status = await createPricesCommand(environment).run(words, {
    print: (text) => {
      printed += text
    },
    printError: () => undefined,
    untilInterrupted: async () => {},
  })
  expect(status).toBe(0)
  return printed
}

const ROUTE = 'meta/llama/groq'

test('turnpike prices shows what differs, schedules it and takes it over', async () => {
  const shown = await type('diff')
  expect(shown).toMatch(/changed +meta\/llama +groq +manual +9\/9 +0.59\/0.79 +groq:llama-3.3-70b-versatile/)
  expect(shown).toMatch(/new +gpt-oss-120b +groq/)
  expect(shown).toContain('prices of genai-prices ')
  // Only routes that follow the catalog are changed without being named.
  expect(await type('apply')).toBe('Nothing to change.\n')
  const planned = await type('apply', '--route', ROUTE, '--dry-run')
  expect(planned).toContain('Dry run: nothing was written.')
  expect(planned).toMatch(/meta\/llama +groq +9\/9 +0.59\/0.79/)
  const price = '{"input":"9","output":"10"}'
  const scheduled = await type('schedule', ROUTE, '--from', '2999-01-01T00:00:00Z', price, '--json')
  expect(JSON.parse(scheduled).price.variants).toEqual([
    { when: { from: '2999-01-01T00:00:00Z' }, output: '10' },
  ])
  expect(await type('schedule', ROUTE, '--from', '2999-02-01T00:00:00Z', '--catalog')).toContain('9/9 +2')
  const applied = JSON.parse(await type('apply', '--route', ROUTE, '--follow', '--json'))
  expect(applied.changes).toMatchObject([{ model: 'meta/llama', supplier: 'groq', after: { input: '0.59' } }])
  expect(await type('diff')).not.toContain('meta/llama')
  expect(await type('diff', '--all')).toMatch(/same +meta\/llama +groq +catalog/)
})

test('turnpike prices explains what it cannot do', async () => {
  const time = ['--from', '2999-01-01T00:00:00Z']
  for (const words of [
    [],
    ['show'],
    ['diff', '--nonsense'],
    ['apply', '--route', 'llama'],
    ['schedule', ROUTE, ...time],
    ['schedule', ROUTE, ...time, '{}', '--catalog'],
    ['schedule', ROUTE, '--catalog'],
    ['schedule', ROUTE, ...time, 'cheap'],
  ]) {
    await expect(type(...words)).rejects.toBeInstanceOf(UsageError)
  }
  await expect(type('apply', '--route', 'nothing/groq')).rejects.toThrow('There is no model "nothing".')
})
