import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConsoleWhenStale } from '../../scripts/build-console.ts'
import { rehearse } from '../../scripts/release/rehearsal.ts'
import { buildBinary, TARGETS } from '../../scripts/release/release.ts'
import { fetchRuntime } from '../../scripts/release/runtime.ts'
import { ROOT } from './support/deploy-files.ts'

let folder: string
let binary: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-binary-'))
  binary = process.env.TEST_BINARY ?? (await buildOwn())
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function buildOwn(): Promise<string> {
  const path = join(folder, 'turnpike')
  await buildConsoleWhenStale()
  await buildBinary(process.execPath, path)
  return path
}

describe('the single binary', () => {
  test('serves API, console, reference and commands on its own', async () => {
    const { steps } = await rehearse(binary)
    expect(steps).toHaveLength(7)
  })

  test('contains no path of the machine that built it', () => {
    const needle = Buffer.from(ROOT)
    expect(readFileSync(binary).indexOf(needle)).toBe(-1)
  })

  test('is reproducible', async () => {
    const again = join(folder, 'again')
    await buildBinary(process.execPath, again)
    expect(Bun.hash(readFileSync(again))).toBe(Bun.hash(readFileSync(binary)))
  })

  test('allows as many calls to suppliers as a gateway from sources', async () => {
    const child = Bun.spawn([binary, 'start'], {
      cwd: folder,
      env: { PORT: '0', TURNPIKE_LOG_LEVEL: 'error' },
      stdout: 'pipe',
    })
    try {
      for await (const _ of child.stdout) break
      const variables = readFileSync(`/proc/${child.pid}/environ`, 'utf8').split('\0')
      expect(variables).toContain('BUN_CONFIG_MAX_HTTP_REQUESTS=65535')
    } finally {
      child.kill('SIGKILL')
      await child.exited
    }
  })
})

test('is made for the common systems', () => {
  const names = TARGETS.map(({ name }) => name)
  expect(names).toEqual(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'windows-x64'])
})

test('each target has a runtime in package-lock.json', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  for (const { runtime } of TARGETS)
    expect(lock.packages[`node_modules/${runtime}`].integrity).toStartWith('sha512-')
})

test('refuses to fetch an unknown runtime', async () => {
  await expect(fetchRuntime({ name: 'toaster', runtime: '@oven/bun-toaster' })).rejects.toThrow(
    'package-lock.json',
  )
})
