import { afterEach, beforeEach, expect, test } from 'bun:test'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { environmentOf, GATEWAY, makeFolder, removeFolder } from './support/gateway-process.ts'

// A pipe holds 64 KB, which is less than these leave in the log.
const REQUESTS = 2_000
const AT_ONCE = 50

let folder = ''

beforeEach(() => {
  folder = makeFolder()
})

afterEach(() => removeFolder(folder))

test('an unread log does not block requests', async () => {
  const pipe = openUnreadPipe()
  const child = Bun.spawn(GATEWAY, {
    env: environmentOf(join(folder, 'data')),
    stdout: 'pipe',
    stderr: pipe,
  })
  try {
    const { value } = await child.stdout.getReader().read()
    const url = /listens on (\S+)/.exec(Buffer.from(value ?? []).toString())?.[1] ?? ''
    for (let asked = 0; asked < REQUESTS; asked += AT_ONCE) {
      const path = `/${'long-path'.repeat(20)}/${asked}`
      const responses = await Promise.all(Array.from({ length: AT_ONCE }, () => fetch(`${url}${path}`)))
      expect(responses.every((response) => response.status === 404)).toBe(true)
    }
  } finally {
    child.kill('SIGKILL')
    await child.exited
    closeSync(pipe)
  }
})

test.each([
  ['is gone', () => openClosedPipe(), 0],
  ['does not read', () => openUnreadPipe(), AT_ONCE * 10],
])('a gateway stops on SIGTERM although the reader of its log %s', async (_, openPipe, requests) => {
  const pipe = openPipe()
  const child = Bun.spawn(GATEWAY, {
    env: environmentOf(join(folder, 'data')),
    stdout: 'pipe',
    stderr: pipe,
  })
  try {
    const { value } = await child.stdout.getReader().read()
    const url = /listens on (\S+)/.exec(Buffer.from(value ?? []).toString())?.[1] ?? ''
    const path = `/${'long-path'.repeat(20)}`
    await Promise.all(Array.from({ length: requests }, () => fetch(`${url}${path}`)))
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  } finally {
    child.kill('SIGKILL')
    closeSync(pipe)
  }
})

/** A pipe whose reader is gone: writing to it fails. */
function openClosedPipe(): number {
  const reading = openUnreadPipe()
  const writing = openSync(join(folder, 'pipe'), constants.O_WRONLY)
  closeSync(reading)
  return writing
}

/** Opened for both directions, so that writing to it never fails and nothing reads from it. */
function openUnreadPipe(): number {
  const path = join(folder, 'pipe')
  expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0)
  return openSync(path, constants.O_RDWR)
}
