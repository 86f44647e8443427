import { join } from 'node:path'

/** Tests of `npm test` with larger numbers, by the name of their npm command. */
const LONG_TESTS: Readonly<Record<string, LongTest>> = {
  uploads: { files: ['test/families/audio/memory.test.ts'], set: { TEST_UPLOAD_MEGABYTES: '500' } },
  sockets: { files: ['test/sockets/many-sessions.test.ts'], set: { TEST_SESSIONS: '1000' } },
  laws: {
    files: ['src/edges/windows/node/growing-laws.test.ts', 'test/ledger/model.test.ts'],
    set: { TEST_HISTORIES: '100000', TEST_SEQUENCES: '10000' },
  },
}

interface LongTest {
  readonly files: readonly string[]
  /** Variables that the caller has not set. */
  readonly set: Readonly<Record<string, string>>
}

const [name = '', ...flags] = process.argv.slice(2)
const test = LONG_TESTS[name]
if (test === undefined) {
  console.error(`long-tests: '${name}' is none of ${Object.keys(LONG_TESTS).join(', ')}`)
  process.exit(2)
}
const files = test.files.map((file) => `./${file}`)
const child = Bun.spawn([process.execPath, 'test', '--timeout=600000', ...flags, ...files], {
  cwd: join(import.meta.dirname, '../..'),
  env: { ...test.set, ...process.env },
  stdio: ['ignore', 'inherit', 'inherit'],
})
const stop = () => child.kill()
process.on('SIGINT', stop).on('SIGTERM', stop)
process.exit(await child.exited)
