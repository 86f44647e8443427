import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chatRequest } from '../robustness/support/chat-load.ts'
import { environmentOf, makeFolder, removeFolder, runToExit } from '../robustness/support/gateway-process.ts'
import { readStoredLedger } from '../robustness/support/stored-ledger.ts'
import { eventually } from '../support/eventually.ts'
import { type Crew, startCrew, stopCrew } from './support/crew.ts'

const PATIENCE_MS = 300_000

let folder = ''
let crew: Crew | null = null

beforeEach(() => {
  folder = makeFolder()
})

afterEach(async () => {
  await stopCrew(crew)
  crew = null
  removeFolder(folder)
})

function ask(url: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    ...chatRequest({ model: 'sandbox-chat', ...fields }),
    // A new connection each time, so that the kernel chooses a worker again.
    keepalive: false,
  })
}

async function askUntilAllServed({ url, slotsThatLogged }: Crew, slots: number): Promise<void> {
  await eventually(`requests at ${slots} workers`, async () => {
    expect((await ask(url)).status).toBe(200)
    return slotsThatLogged('"msg":"request"').length === slots
  })
}

function expectWholeLines(log: string): void {
  for (const line of log.split('\n')) if (line !== '') expect(() => JSON.parse(line)).not.toThrow()
}

describe('several workers on one port', () => {
  test(
    'print one greeting, share the requests, and leave nothing behind after a stop',
    async () => {
      crew = await startCrew(folder, 3)
      expect(crew.output().match(/Turnpike listens/g)).toHaveLength(1)
      expect(crew.output().match(/password \(shown once\)/g)).toHaveLength(1)
      expect(crew.workers()).toHaveLength(3)
      await askUntilAllServed(crew, 3)
      crew.signal('SIGTERM')
      expect(await crew.exited).toBe(0)
      expectWholeLines(crew.errors())
      for (const slot of [0, 1, 2]) expect(readdirSync(join(folder, `journal-${slot}`))).toEqual([])
      const ledger = await readStoredLedger(folder)
      expect(ledger.ledgerDifference).toBeNull()
      expect(ledger.settlements.length).toBeGreaterThanOrEqual(3)
    },
    PATIENCE_MS,
  )

  test(
    'a killed worker is replaced by one that stores its journal',
    async () => {
      crew = await startCrew(folder, 2)
      const before = crew.workers()
      // Answered after seconds; whichever worker has it is in the middle of it when all are killed.
      const asked = ask(crew.url, { model: 'sandbox-slow' }).catch(() => null)
      await eventually('the admission in a journal', () =>
        [0, 1].some((slot) => readdirSync(join(folder, `journal-${slot}`)).length > 0),
      )
      await eventually('a written admission', () => journalText(folder).includes('"open"'))
      for (const worker of before) process.kill(worker, 'SIGKILL')
      await asked
      await eventually('two new workers', () => {
        const now = crew?.workers() ?? []
        return now.length === 2 && !now.some((worker) => before.includes(worker))
      })
      await eventually('an answer of a new worker', async () => {
        const response = await ask(crew?.url ?? '').catch(() => null)
        return response?.status === 200
      })
      expect(crew.errors()).toMatch(/worker \d ended with code 137; another starts in 0 ms/)
      crew.signal('SIGTERM')
      expect(await crew.exited).toBe(0)
      const { settlements, ledgerDifference } = await readStoredLedger(folder)
      expect(ledgerDifference).toBeNull()
      expect(settlements.map(({ outcome }) => outcome).sort()).toEqual(['completed', 'interrupted'])
    },
    PATIENCE_MS,
  )

  test(
    'a restart after the parent was killed serves at once, though dead workers are still registered',
    async () => {
      crew = await startCrew(folder, 2)
      await askUntilAllServed(crew, 2)
      const workers = crew.workers()
      // All at once, so that no process can sign off in the database.
      for (const pid of [crew.pid, ...workers]) process.kill(pid, 'SIGKILL')
      await crew.exited
      crew = await startCrew(folder, 2)
      const ready = await fetch(`${crew.url}/readyz`)
      expect(await ready.json()).toEqual({ status: 'ready' })
      for (let request = 0; request < 4; request += 1) expect((await ask(crew.url)).status).toBe(200)
    },
    PATIENCE_MS,
  )

  test(
    'when a worker cannot start, its reason is the only output',
    async () => {
      // Where the journal of the first worker should be.
      writeFileSync(join(folder, 'journal-0'), '')
      const environment = environmentOf(folder, { TURNPIKE_WORKERS: '2', TURNPIKE_SUPPLY: 'off' })
      const { exitCode, output, errors } = await runToExit(environment)
      expect(exitCode).toBe(1)
      expect(errors).toMatch(/^Turnpike could not start: .*journal-0.*\n$/)
      // A secret that was made is shown, because no later start would show it.
      expect(output).toMatch(/^\nConsole user \S+, password \(shown once\): \S+\n$/)
    },
    PATIENCE_MS,
  )

  test(
    'a port in use is refused before anything is started',
    async () => {
      const other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
      const { exitCode, output, errors } = await runToExit(
        environmentOf(folder, { TURNPIKE_WORKERS: '2', PORT: String(other.port) }),
      )
      other.stop(true)
      expect([exitCode, output]).toEqual([1, ''])
      expect(errors).toBe(`Port ${other.port} of 127.0.0.1 is already in use. Set PORT to another one.\n`)
    },
    PATIENCE_MS,
  )
})

function journalText(dataFolder: string): string {
  const folders = readdirSync(dataFolder).filter((name) => /^journal-\d+$/.test(name))
  return folders
    .flatMap((name) => readdirSync(join(dataFolder, name)).map((file) => join(dataFolder, name, file)))
    .map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : ''))
    .join('')
}
