import { expect, test } from 'bun:test'
import { join } from 'node:path'

const PROGRAM = `
  import { createLog } from ${JSON.stringify(join(import.meta.dirname, '../edges/telemetry/pino-log.ts'))}
  import { outliveStrayFaults } from ${JSON.stringify(join(import.meta.dirname, 'lifecycle.ts'))}
  const log = createLog('info')
  outliveStrayFaults(log)
  setTimeout(() => { throw new Error('thrown by a timer') }, 1)
  setTimeout(() => {
    void Promise.reject(new Error('rejected with sk-1234567890abcdef1234567890abcdef'))
    setTimeout(async () => {
      log.notice('still there')
      await log.flush()
      process.exit(0)
    }, 1)
  }, 1)
`

test('logs an uncaught error without secrets and keeps running', async () => {
  const child = Bun.spawn([process.execPath, '-e', PROGRAM], { stdout: 'pipe', stderr: 'pipe' })
  const [output, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  expect(await child.exited).toBe(0)
  const lines = `${output}${complaints}`
  expect(lines).toContain('thrown by a timer')
  expect(lines).toContain('unhandled rejection')
  expect(lines).not.toContain('sk-1234567890abcdef')
  expect(lines).toContain('still there')
})
