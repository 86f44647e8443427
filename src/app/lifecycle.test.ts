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

function listen(isWrapped: boolean) {
  const source = new EventEmitter()
  const heard: string[] = []
  let nowMs = 1_000
  let parentId = 7
  let look = () => {}
  obeyStopSignals(
    { stop: (signal) => heard.push(`stop by ${signal}`), end: () => heard.push('end') },
    { monotonicMs: () => nowMs },
    {
      isWrapped,
      parentId: () => parentId,
      on: (signal, listener) => source.on(signal, listener),
      everyMs: (_, each) => {
        look = each
      },
    },
  )
  const send = (signal: string, afterMs: number) => {
    nowMs += afterMs
    source.emit(signal)
  }
  const loseParent = () => {
    look()
    parentId = 1
    look()
    look()
  }
  return { heard, send, loseParent }
}

test.each(['SIGINT', 'SIGTERM'])('a %s that also comes from npm or the launcher stops once', (signal) => {
  const { heard, send } = listen(true)
  send(signal, 0)
  send(signal, 5)
  expect(heard).toEqual([`stop by ${signal}`])
  send(signal, 400)
  expect(heard).toEqual([`stop by ${signal}`, 'end'])
})

test.each(['SIGINT', 'SIGTERM'])('a second %s ends at once where nobody passes signals on', (signal) => {
  const { heard, send } = listen(false)
  send(signal, 0)
  send(signal, 1)
  expect(heard).toEqual([`stop by ${signal}`, 'end'])
})

test('stops when the shell of npm has ended, and only then', () => {
  const wrapped = listen(true)
  wrapped.loseParent()
  expect(wrapped.heard).toEqual(['stop by SIGTERM'])
  const alone = listen(false)
  alone.loseParent()
  expect(alone.heard).toEqual([])
})
