import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApplyCommand } from '../../src/cli/commands/supply/apply.ts'
import {
  makeDataFolder,
  OPERATOR_TOKEN,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'

const SECRET = 'sk-of-the-person-0123456789'

const TEXT = `suppliers:
  - id: acme
    type: openai-compatible
    base_url: http://127.0.0.1:9/v1
    formats: [chat-completion]
    credentials:
      - { label: main, secret: "\${ACME_KEY}" }
`

let gateway: TestGateway
let folder: string
let file: string
beforeAll(async () => {
  gateway = await startTestGateway()
  folder = makeDataFolder()
  file = join(folder, 'supply.yaml')
  writeFileSync(file, TEXT)
})
afterAll(async () => {
  await gateway.stop()
  removeDataFolder(folder)
})

async function type(args: readonly string[], environment: Record<string, string> = {}) {
  let printed = ''
  const command = createApplyCommand({
    TURNPIKE_URL: gateway.url,
    TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    ACME_KEY: SECRET,
    ...environment,
  })
  const terminal = {
    print: (text: string) => {
      printed += text
    },
    printError: () => undefined,
    untilInterrupted: () => Promise.resolve(),
  }
  const status = await command.run(args, terminal)
  return { status, printed }
}

async function send(body: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${gateway.url}/operator/v1/supply`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

describe('turnpike apply', () => {
  test('shows the plan, applies it, and has nothing to do after that', async () => {
    const table =
      'RESULT   KIND        ID         FIELDS\ncreated  supplier    acme       -\ncreated  credential  acme/main  -\n'
    expect(await type([file, '--dry-run'])).toEqual({
      status: 0,
      printed: `${table}2 created (dry run: nothing was written).\n`,
    })
    expect((await type([file])).printed).toBe(`${table}2 created.\n`)
    expect((await type(['--dry-run', file])).printed).toBe(
      'Nothing to change.\n2 unchanged (dry run: nothing was written).\n',
    )
    const [credential] = (await gateway.storage.loadConfiguration()).credentials.filter(
      ({ supplierId }) => supplierId === 'acme',
    )
    expect(credential?.secret).toBe(SECRET)
  })

  test('finds its file by the setting, and prints JSON for programs', async () => {
    const { printed } = await type(['--json'], { TURNPIKE_SUPPLY: file, ACME_KEY: 'sk-another-one' })
    expect(JSON.parse(printed)).toEqual({
      dry_run: false,
      changes: [
        { kind: 'supplier', id: 'acme', result: 'unchanged', fields: [] },
        { kind: 'credential', id: 'acme/main', result: 'changed', fields: ['secret'] },
      ],
      warnings: [],
    })
    expect(printed).not.toContain('another')
  })

  test.each([
    [
      'a variable that is not set here',
      TEXT.replace('ACME_KEY', 'HOME_OF_NOBODY'),
      ':7:32 suppliers[0].credentials[0].secret: needs the environment variable HOME_OF_NOBODY',
    ],
    [
      'what only the gateway knows',
      TEXT.replace('[chat-completion]', '[images]').replace('id: acme', 'id: UP'),
      ':2:9 suppliers[0].id: A supplier id is 1 to 64',
    ],
  ])('names the place of %s', async (_what, text, expected) => {
    const wrong = join(folder, 'wrong.yaml')
    writeFileSync(wrong, text)
    await expect(type([wrong])).rejects.toThrow(`${wrong}${expected}`)
  })

  test('warns of routes without a price, in a dry run and when nothing changes too', async () => {
    const unpriced = join(folder, 'unpriced.yaml')
    const routes = `models:
  - { id: m, owned_by: acme, routes: [{ supplier: acme, upstream_model: a }] }
  - { id: off, owned_by: acme, routes: [{ supplier: acme, upstream_model: b, enabled: false }] }
  - { id: free, owned_by: acme, routes: [{ supplier: acme, upstream_model: c, price: { input: 0, output: 0 } }] }
`
    writeFileSync(unpriced, `${TEXT}${routes}`)
    const warning = 'Warning: m/routes/acme has no price, so it is not used.\n'
    for (const flags of [['--dry-run'], [], []]) {
      const { status, printed } = await type([unpriced, ...flags])
      expect([status, printed.split('Warning').length]).toEqual([0, 2])
      expect(printed).toEndWith(`.\n${warning}`)
    }
    expect(JSON.parse((await type([unpriced, '--json'])).printed).warnings).toEqual([
      'm/routes/acme has no price, so it is not used.',
    ])
  })

  test('names a missing file', async () => {
    await expect(type([join(folder, 'absent.yaml')])).rejects.toThrow('absent.yaml cannot be read (ENOENT)')
  })

  test('accepts one file and no other flags', async () => {
    await expect(type([file, 'another'])).rejects.toThrow("'another'")
    await expect(type([file, '--loud'])).rejects.toThrow("'--loud'")
  })
})

describe('POST /supply', () => {
  test('uses the variables in the request, not the environment of the gateway', async () => {
    const document = TEXT.replace('ACME_KEY', 'PATH')
    const { status, text } = await send({ document })
    expect(status).toBe(400)
    const { error } = JSON.parse(text) as { error: { code: string; param: string; message: string } }
    expect([error.code, error.param]).toEqual(['invalid_request', 'suppliers[0].credentials[0].secret'])
    expect(error.message).toContain('document:7:32')
    expect((await send({ document, variables: { PATH: SECRET }, dry_run: true })).status).toBe(200)
  })

  test('prints no secret, even in the place of an account', async () => {
    const document = TEXT.replace('id: acme', 'id: acme-two').replace(
      'formats:',
      `source: byok\n    account_id: \${ACME_KEY}\n    formats:`,
    )
    const { status, text } = await send({ document, variables: { ACME_KEY: SECRET } })
    expect(status).toBe(400)
    expect(text).toContain('suppliers[0].account_id: There is no account')
    expect(text).not.toContain(SECRET)
  })
})
