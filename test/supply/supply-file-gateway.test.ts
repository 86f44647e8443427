import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTurnpike } from '../../src/app/turnpike.ts'
import { readSettings } from '../../src/edges/settings/read-settings.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { GATEWAY } from '../robustness/support/gateway-process.ts'
import { chat } from '../support/chat.ts'
import { createCollectedLog } from '../support/collected-log.ts'
import { eventually } from '../support/eventually.ts'
import { realClock } from '../support/movable-clock.ts'
import {
  BOOTSTRAP_KEY,
  makeDataFolder,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'

const SECRET = 'sk-sandbox-Of-The-Supply-File'

let folder: string
let file: string
let upstream: Sandbox
let gateway: TestGateway | null
beforeEach(() => {
  folder = makeDataFolder()
  file = join(folder, 'supply.yaml')
  upstream = startSandbox({ requireKey: SECRET })
  gateway = null
})
afterEach(async () => {
  await gateway?.stop()
  await upstream.stop()
  removeDataFolder(folder)
})

function supplyText({ model = 'from-file', url = upstream.url, extra = '' } = {}): string {
  return `suppliers:
  - id: acme
    type: openai-compatible
    base_url: ${url}/v1
    formats: [chat-completion]
    credentials:
      - label: main
        secret: \${ACME_KEY}
${extra}models:
  - id: ${model}
    owned_by: acme
    routes:
      - supplier: acme
        upstream_model: sandbox-chat
        price: { input: 0.5, output: 1.5 }
`
}

/** As an editor does it: written beside and put in the place of the old one. */
function replaceFile(text: string): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}

async function start(text: string): Promise<TestGateway> {
  writeFileSync(file, text)
  gateway = await startTestGateway({
    dataFolder: join(folder, 'data'),
    environment: { TURNPIKE_SUPPLY: file, ACME_KEY: SECRET },
  })
  return gateway
}

async function ask(running: TestGateway, model: string): Promise<number> {
  return (await chat(running.url, { model }, { key: BOOTSTRAP_KEY })).status
}

async function modelIds(running: TestGateway): Promise<string[]> {
  const { data } = await running.operator<{ data: { id: string }[] }>('GET', '/models?limit=200')
  return data.map(({ id }) => id)
}

async function auditOfFile(running: TestGateway): Promise<string[]> {
  const { data } = await running.operator<{ data: { actor: string; action: string }[] }>(
    'GET',
    '/audit?limit=200',
  )
  return data.filter(({ actor }) => actor === 'supply file').map(({ action }) => action)
}

describe('the supply file', () => {
  test('applies from the start, and a restart with it changes nothing', async () => {
    const first = await start(supplyText())
    expect(await ask(first, 'from-file')).toBe(200)
    expect(upstream.calls).toHaveLength(1)
    const events = await auditOfFile(first)
    expect(events.toSorted()).toEqual([
      'credential.added',
      'model.created',
      'route.created',
      'supplier.created',
    ])
    await first.stop()
    const second = await start(supplyText())
    expect(await auditOfFile(second)).toEqual(events)
    expect(await ask(second, 'from-file')).toBe(200)
  })

  test('is watched: the next request after a change uses it, however the file was written', async () => {
    const running = await start(supplyText())
    const elsewhere = startSandbox({ requireKey: SECRET })
    try {
      replaceFile(supplyText({ model: 'second', url: elsewhere.url }))
      await eventually('the second model', async () => (await modelIds(running)).includes('second'))
      expect(await ask(running, 'second')).toBe(200)
      expect([upstream.calls.length, elsewhere.calls.length]).toEqual([0, 1])
      writeFileSync(file, supplyText({ model: 'third' }))
      await eventually('the third model', async () => (await modelIds(running)).includes('third'))
      expect(await ask(running, 'third')).toBe(200)
      expect([upstream.calls.length, elsewhere.calls.length]).toEqual([1, 1])
    } finally {
      await elsewhere.stop()
    }
  })

  test('changes nothing when it is wrong, reports where, and is applied once it is right', async () => {
    const running = await start(supplyText())
    const before = await auditOfFile(running)
    replaceFile(supplyText({ model: 'second' }).replace('output: 1.5', 'output: much'))
    const trouble = await eventually('the complaint', () => running.log.troubles[0])
    expect(trouble).toContain(
      `the supply file was not applied: ${file} cannot be applied; nothing was changed:`,
    )
    expect(trouble).toContain(`${file}:15:38 models[0].routes[0].price.output: got a text of 4 characters`)
    replaceFile(supplyText({ model: 'second' }).replace('supplier: acme', 'supplier: nobody'))
    const second = await eventually('the second complaint', () => running.log.troubles[1])
    expect(second).toContain(`${file}:13:19 models[0].routes[0].supplier: names a supplier that is neither`)
    rmSync(file)
    const third = await eventually('the third complaint', () => running.log.troubles[2])
    expect(third).toContain('The file cannot be read (ENOENT).')
    expect(await auditOfFile(running)).toEqual(before)
    expect(await ask(running, 'from-file')).toBe(200)
    replaceFile(supplyText({ model: 'second' }))
    await eventually('the second model', async () => (await modelIds(running)).includes('second'))
    expect(await ask(running, 'second')).toBe(200)
  })

  test('never shows its secrets', async () => {
    const running = await start(supplyText())
    replaceFile(supplyText({ extra: `      - { label: spare, secret: "${SECRET}-2", rpm: ${SECRET} }\n` }))
    const trouble = await eventually('the complaint', () => running.log.troubles[0])
    expect(trouble).toContain('suppliers[0].credentials[1].rpm: got a text of')
    const shown = [
      ...running.log.troubles,
      JSON.stringify(running.log.requests),
      JSON.stringify(await running.operator('GET', '/suppliers/acme/credentials')),
      JSON.stringify(await running.operator('GET', '/audit?limit=200')),
    ]
    await running.stop()
    gateway = null
    const stored = readdirSync(join(folder, 'data'), {
      recursive: true,
      encoding: 'utf8',
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    expect(stored.some((text) => text.includes('from-file'))).toBe(true)
    for (const text of [...shown, ...stored]) expect(text).not.toContain('Of-The-Supply')
  })
})

describe('a start', () => {
  test("with suppliers in the file needs no sandbox in mode 'auto'", async () => {
    writeFileSync(file, supplyText())
    const settings = readSettings({
      PORT: '0',
      TURNPIKE_DATA: join(folder, 'data'),
      TURNPIKE_SANDBOX: 'auto',
      TURNPIKE_SUPPLY: file,
      ACME_KEY: SECRET,
    })
    const services = { clock: realClock, random: () => 0.5, log: createCollectedLog() }
    const turnpike = await startTurnpike(settings, services)
    try {
      expect(turnpike.sandbox).toBeNull()
      expect(turnpike.operations.listSuppliers({ limit: 9, cursor: null }).data.map(({ id }) => id)).toEqual([
        'acme',
      ])
    } finally {
      await turnpike.stop(0)
    }
  })

  const environmentOfProgram = () => ({
    PORT: '0',
    TURNPIKE_DATA: join(folder, 'data'),
    TURNPIKE_LOG_LEVEL: 'silent',
    // The binary starts again when it does not find it.
    BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
  })

  async function startProgram(environment: Record<string, string>) {
    const program = Bun.spawn(GATEWAY, {
      cwd: folder,
      env: { ...environmentOfProgram(), ...environment },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, complaints] = await Promise.all([
      new Response(program.stdout).text(),
      new Response(program.stderr).text(),
      program.exited,
    ])
    return { status: program.exitCode, output, complaints }
  }

  test('with a wrong file stops, names line, field and variable, and shows no secret', async () => {
    // The usual name, so that no setting has to name it.
    writeFileSync(file, `${supplyText()}    rpm: ${SECRET}\n`)
    const { status, output, complaints } = await startProgram({})
    expect([status, output]).toEqual([1, ''])
    expect(complaints).toStartWith(
      'Turnpike could not start: ./supply.yaml cannot be applied; nothing was changed:\n',
    )
    expect(complaints).toContain(
      './supply.yaml:8:17 suppliers[0].credentials[0].secret: needs the environment variable ACME_KEY, which is not set.',
    )
    expect(complaints).toContain('./supply.yaml:16:10 models[0].rpm: got a text of 29 characters')
    expect(complaints).not.toContain(SECRET)
  })

  test('with a missing file stops', async () => {
    const { status, complaints } = await startProgram({ TURNPIKE_SUPPLY: 'absent.yaml' })
    expect(status).toBe(1)
    expect(complaints).toContain(
      'absent.yaml cannot be applied; nothing was changed:\n  The file cannot be read (ENOENT).',
    )
  })
})
