import { expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import { obeyStopSignals } from './lifecycle.ts'

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

function listen() {
  const source = new EventEmitter()
  const heard: string[] = []
  let nowMs = 1_000
  obeyStopSignals(
    { stop: (signal) => heard.push(`stop by ${signal}`), end: () => heard.push('end') },
    { monotonicMs: () => nowMs },
    source,
  )
  const send = (signal: string, afterMs: number) => {
    nowMs += afterMs
    source.emit(signal)
  }
  return { heard, send }
}

test('a Ctrl+C that arrives from the terminal and from npm stops once', () => {
  const { heard, send } = listen()
  send('SIGINT', 0)
  send('SIGINT', 5)
  expect(heard).toEqual(['stop by SIGINT'])
  send('SIGINT', 400)
  expect(heard).toEqual(['stop by SIGINT', 'end'])
})

test('a second SIGTERM ends at once', () => {
  const { heard, send } = listen()
  send('SIGTERM', 0)
  send('SIGTERM', 1)
  expect(heard).toEqual(['stop by SIGTERM', 'end'])
})

test('a Ctrl+C after SIGTERM ends at once', () => {
  const { heard, send } = listen()
  send('SIGTERM', 0)
  send('SIGINT', 1)
  expect(heard).toEqual(['stop by SIGTERM', 'end'])
})
