import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createExportCommand } from '../../src/cli/commands/export.ts'
import { settlements } from '../../src/edges/storage/testing/samples.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
let folder: string
let file: string
beforeAll(async () => {
  gateway = await startTestGateway()
  await gateway.storage.writeSettlements(settlements(900, { model: 'a,"b"\r\nc' }))
})
afterAll(() => gateway.stop())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-export-'))
  file = join(folder, 'out')
})
afterEach(() => rmSync(folder, { recursive: true }))

async function typeAt(url: string, words: readonly string[]): Promise<string> {
  let printed = ''
  const environment = { TURNPIKE_URL: url, TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN }
  const status = await createExportCommand(environment).run(words, {
    print: (text) => {
      printed += text
    },
    printError: () => undefined,
    untilInterrupted: async () => {},
  })
  expect(status).toBe(0)
  return printed
}
const type = (...words: string[]) => typeAt(gateway.url, words)

describe('turnpike export', () => {
  test('writes a file, or prints the same', async () => {
    const printed = await type('settlements', '--out', file, '--to', '2027-01-01T00:00:00Z')
    expect(printed).toBe(`${readFileSync(file).length} bytes were written to ${file}.\n`)
    expect(await type('settlements', '--to', '2027-01-01T00:00:00Z')).toBe(readFileSync(file, 'utf8'))
    expect(readFileSync(file, 'utf8')).toStartWith('\uFEFFrequest_id,')
    expect(await type('settlements', '--account', 'nobody', '--format', 'jsonl')).toBe('')
  })

  for (const [what, format] of [
    ['settlements', 'csv'],
    ['settlements', 'jsonl'],
    ['ledger', 'csv'],
  ] as const) {
    test(`resumes ${what} as ${format} that were cut off anywhere`, async () => {
      await type(what, '--format', format, '--out', file)
      const whole = readFileSync(file, 'utf8')
      for (const cut of [0, 2, 200, 1_000, Math.floor(whole.length / 2), whole.length - 1, whole.length]) {
        writeFileSync(file, whole)
        truncateSync(file, cut)
        await type(what, '--format', format, '--out', file, '--resume')
        expect([cut, readFileSync(file, 'utf8') === whole]).toEqual([cut, true])
      }
    })
  }

  test('reports an answer that broke off', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\ntransfer-encoding: chunked\r\n\r\n'
    const server = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data: (socket) => {
          socket.end(`${head}5\r\nhello\r\n`)
        },
      },
    })
    try {
      const broken = typeAt(`http://127.0.0.1:${server.port}`, ['ledger', '--out', file])
      await expect(broken).rejects.toThrow(
        /^the export was cut off after \d+ bytes; --resume goes on from there$/,
      )
    } finally {
      server.stop(true)
    }
  })

  test.each([
    [['everything'], 'usage: turnpike export settlements|ledger'],
    [['ledger', '--format', 'xml'], "--format takes csv or jsonl, not 'xml'"],
    [['ledger', '--resume'], '--resume needs --out'],
    [['ledger', '--out', '/nowhere/at/all'], '/nowhere/at/all cannot be written (ENOENT)'],
    [['ledger', '--key', 'key_1'], 'key_id is not a known query parameter.'],
    [['ledger', '--form', 'csv'], "Unknown option '--form'"],
  ])('refuses %j', async (words, expected) => {
    await expect(type(...words)).rejects.toThrow(expected)
  })

  test('overwrites nothing', async () => {
    writeFileSync(file, 'precious\n')
    await expect(type('ledger', '--out', file)).rejects.toThrow('already exists; use --resume to continue it')
    for (const format of ['csv', 'jsonl']) {
      await expect(type('ledger', '--out', file, '--resume', '--format', format)).rejects.toThrow(
        `is no ${format} export`,
      )
      expect(readFileSync(file, 'utf8')).toBe('precious\n')
    }
  })
})
