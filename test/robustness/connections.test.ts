import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { eventually } from '../support/eventually.ts'
import { chatRequest } from './support/chat-load.ts'
import {
  type Environment,
  environmentOf,
  type GatewayProcess,
  makeFolder,
  OPERATOR_TOKEN,
  removeFolder,
  startProcess,
  stopProcess,
} from './support/gateway-process.ts'

const DESCRIPTORS = 300
const STRANGERS = 300
const PATIENCE_MS = 8_000
// Mostly for a busy machine to start the gateway.
const TEST_MS = 300_000

let folder = ''
let gateway: GatewayProcess | null = null
const strangers: Socket[] = []

beforeEach(() => {
  folder = makeFolder()
})

afterEach(async () => {
  for (const stranger of strangers.splice(0)) stranger.destroy()
  await stopProcess(gateway)
  gateway = null
  removeFolder(folder)
})

/** A gateway that may have so many files and connections open. */
async function startSmall(more: Environment = {}): Promise<GatewayProcess> {
  const prefix = ['sh', '-c', `ulimit -n ${DESCRIPTORS} && exec "$@"`, 'sh']
  gateway = await startProcess(environmentOf(folder, more), { prefix })
  return gateway
}

/** Resolves when all are connected as far as they know: the system accepts for a program that does not. */
async function connectStrangers(port: number, firstWords = ''): Promise<void> {
  const connected = Array.from({ length: STRANGERS }, () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stranger = connect(port, '127.0.0.1', () => {
      if (firstWords !== '') stranger.write(firstWords)
      resolve()
    })
    stranger.on('error', () => resolve())
    strangers.push(stranger)
    return promise
  })
  await Promise.all(connected)
}

async function askAsCustomer(url: string): Promise<number | 'no answer'> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  try {
    const request = { ...chatRequest({ model: 'sandbox-chat' }), keepalive: false, signal }
    return (await fetch(`${url}/v1/chat/completions`, request)).status
  } catch {
    return 'no answer'
  }
}

async function readMetric(url: string, name: string): Promise<number> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
  const text = await (await fetch(`${url}/metrics`, { headers, keepalive: false })).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

describe.skipIf(process.platform !== 'linux')('with as many strangers as there are descriptors', () => {
  test(
    'a customer is served while many connections stay silent or send half a head',
    async () => {
      const { url, port, errors } = await startSmall()
      for (const words of ['', 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n']) {
        await connectStrangers(port, words)
        for (let turn = 0; turn < 3; turn += 1) expect(await askAsCustomer(url)).toBe(200)
      }
      expect(await readMetric(url, 'turnpike_connections')).toBeLessThan(DESCRIPTORS / 2)
      expect(await readMetric(url, 'turnpike_connections_closed_for_room_total')).toBeGreaterThan(100)
      expect(await readMetric(url, 'turnpike_descriptor_shortages_total')).toBe(0)
      await eventually('a line in the log', () => errors().includes('the limit of open files is low'))
      expect(errors().match(/the limit of open files is low/g)).toHaveLength(1)
    },
    TEST_MS,
  )

  test(
    'a customer is served even if the connection limit exceeds the file descriptors',
    async () => {
      const { url, port, errors } = await startSmall({ TURNPIKE_MAX_CONNECTIONS: '100000' })
      await connectStrangers(port)
      for (let turn = 0; turn < 3; turn += 1) expect(await askAsCustomer(url)).toBe(200)
      expect(await readMetric(url, 'turnpike_descriptor_shortages_total')).toBeGreaterThan(0)
      await eventually('a line in the log', () => errors().includes('no file descriptor is left'))
      expect(errors().match(/no file descriptor is left/g)).toHaveLength(1)
    },
    TEST_MS,
  )
})
