import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

interface Applied {
  readonly changes: readonly { kind: string; id: string; result: string; fields: readonly string[] }[]
}

const FILE = `
suppliers:
  - { id: acme, type: openai-compatible, base_url: "https://api.acme.example/v1" }
models:
  - { id: acme-1, owned_by: acme }
wildcards:
  - { id: acme, pattern: "acme/*", supplier: acme, upstream_model: "*", price: { input: 0.1, output: 4 } }
aliases:
  - { id: best, name: best, models: [acme-1, acme/large] }
`

async function apply(document: string) {
  const { changes } = await gateway.operator<Applied>('POST', '/supply', { document })
  const names = changes.filter(({ kind }) => kind === 'alias' || kind === 'wildcard')
  return names.map(({ kind, id, result, fields }) => [kind, id, result, ...fields].join(' '))
}

test('a supply file has wildcards and aliases, and changes nothing the second time', async () => {
  expect(await apply(FILE)).toEqual(['wildcard acme created', 'alias best created'])
  expect(await apply(FILE)).toEqual(['wildcard acme unchanged', 'alias best unchanged'])
  const other = FILE.replace('0.1', '0.2').replace('[acme-1, ', '[')
  expect(await apply(other)).toEqual(['wildcard acme changed price', 'alias best changed models'])
  expect(await gateway.operator<object>('GET', '/wildcards/acme')).toMatchObject({ price: { input: '0.2' } })
})

test.each([
  ['models: [acme-1, acme/large]', 'models: [acme-1, nothing]', 'aliases[0].models[1]'],
  ['supplier: acme,', 'supplier: nobody,', 'wildcards[0].supplier'],
  ['pattern: "acme/*"', 'pattern: acme', 'wildcards[0].pattern'],
])('a mistake is refused with its place: %s', async (right, wrong, place) => {
  expect(FILE).toContain(right)
  await expect(apply(FILE.replace(right, wrong))).rejects.toThrow(place)
})
