import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSupply } from '../../src/edges/supply-file/read-supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const ROOT = join(import.meta.dirname, '../..')
const VARIABLES = {
  TEAM_A_KEY: 'sk-example-0001',
  TEAM_B_KEY: 'sk-example-0002',
  ACME_KEY: 'sk-example-0003',
}

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

const example = readFileSync(join(ROOT, 'supply.example.yaml'), 'utf8')
const page = readFileSync(join(ROOT, 'docs/suppliers/supply-file.md'), 'utf8')
const shown = yamlBlocks(page)
/** Other pages that show a whole file. */
const OTHER_PAGES = ['start/real-suppliers', 'migration/litellm', 'migration/bifrost', 'migration/portkey']

function yamlBlocks(text: string): string[] {
  const blocks = [...text.matchAll(/^```yaml(?: \[supply\.yaml\])?\n([\s\S]*?)^```$/gm)]
  return blocks.map(([, block = '']) => block)
}

test.each([
  ['the example', example],
  ...shown.map((text, index): [string, string] => [`block ${index} of the page`, text]),
  ...OTHER_PAGES.map((name): [string, string] => {
    const [block = ''] = yamlBlocks(readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'))
    return [`the file on ${name}.md`, block]
  }),
])('%s is accepted completely', async (_name, document) => {
  const answer = await gateway.operator<{ changes: { result: string }[] }>('POST', '/supply', {
    document,
    variables: VARIABLES,
  })
  expect(answer.changes.length).toBeGreaterThan(1)
  expect(new Set(answer.changes.map(({ result }) => result))).not.toContain('removed')
})

test('the page shows at least one file', () => expect(shown.length).toBeGreaterThan(0))

test('the page lists every field of the file', () => {
  const message = captureUnknown(
    'suppliers: [{ x: 1, credentials: [{ x: 1 }], timeouts: { x: 1 } }]\nmodels: [{ x: 1, routes: [{ x: 1, price: { x: 1 } }] }]',
  )
  const known = [...message.matchAll(/known here: (.*)\.$/gm)].flatMap(([, names = '']) => names.split(', '))
  expect(known.length).toBeGreaterThan(30)
  for (const name of known) expect([name, new RegExp(`\\b${name}\\b`).test(page)]).toEqual([name, true])
})

function captureUnknown(text: string): string {
  try {
    readSupply({ text, name: 'x', variables: {} })
  } catch (error) {
    if (error instanceof Error) return error.message
  }
  throw new Error('the text was taken')
}
