import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { eventually } from '../support/eventually.ts'
import { chatRequest } from './support/chat-load.ts'
import {
  BOOTSTRAP_KEY,
  environmentOf,
  type GatewayProcess,
  makeFolder,
  OPERATOR_TOKEN,
  removeFolder,
  runToExit,
  SERVER_SECRET,
  startProcess,
  stopProcess,
} from './support/gateway-process.ts'
import { sendRaw, writeRequest } from './support/raw-client.ts'
import { addSupply, liftLimits } from './support/supply.ts'

// Of shapes no pattern knows, so that only care keeps them out.
const SUPPLIER_SECRET = 'Supplier.Secret.7f3c9a1e'
const OTHER_SUPPLIER_SECRET = 'plain.supplier.secret.51d2'
const WRONG_KEY = 'sk-wrong-key-Zq81LmW02x'
const WRONG_OPERATOR_TOKEN = 'wrong-operator-token-p0Q7'
const DATABASE_PASSWORD = 'dbPassw0rd-Xy77'

const secrets = new Map<string, string>(
  Object.entries({
    SERVER_SECRET,
    OPERATOR_TOKEN,
    BOOTSTRAP_KEY,
    SUPPLIER_SECRET,
    OTHER_SUPPLIER_SECRET,
    WRONG_KEY,
    WRONG_OPERATOR_TOKEN,
    DATABASE_PASSWORD,
  }),
)

let folder = ''
let sandbox: Sandbox
let gateway: GatewayProcess
/** All replies clients received. */
const replies: string[] = []

/** Which secrets stand in a text. */
function leaks(text: string): string[] {
  return [...secrets].filter(([, secret]) => text.includes(secret)).map(([name]) => name)
}

async function tell(path: string, request: RequestInit): Promise<number> {
  const response = await fetch(`${gateway.url}${path}`, request)
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  replies.push(`${headers}\n${await response.text()}`)
  return response.status
}

function ask(fields: Readonly<Record<string, unknown>> = {}, key = BOOTSTRAP_KEY): Promise<number> {
  return tell('/v1/chat/completions', chatRequest({ model: 'robust-chat', ...fields }, key))
}

beforeAll(async () => {
  folder = makeFolder()
  sandbox = startSandbox({ requireKey: null })
  gateway = await startProcess(environmentOf(folder, { TURNPIKE_SANDBOX: 'on' }))
  await liftLimits(gateway)
  await addSupply(gateway, { baseUrl: `${sandbox.url}/v1`, secret: SUPPLIER_SECRET })
  await addSupply(gateway, {
    supplier: 'nobody',
    baseUrl: 'http://127.0.0.1:1/v1',
    secret: OTHER_SUPPLIER_SECRET,
    model: 'nobody-chat',
  })
  await useKeys()
  await provokeSuppliers()
  await provokeRefusals()
  await provokeOperators()
  gateway.signal('SIGTERM')
  await gateway.exited
}, 300_000)

afterAll(async () => {
  await stopProcess(gateway)
  await sandbox.stop()
  removeFolder(folder)
})

async function useKeys(): Promise<void> {
  const { data } = await gateway.operator<{ data: { id: string }[] }>('GET', '/accounts')
  const path = `/accounts/${data[0]?.id}/keys`
  const created = await gateway.operator<{ id: string; secret: string }>('POST', path, { name: 'created' })
  const rotated = await gateway.operator<{ secret: string }>('POST', `/keys/${created.id}/rotate`, {
    grace_seconds: 60,
  })
  secrets.set('CREATED_KEY', created.secret)
  secrets.set('ROTATED_KEY', rotated.secret)
  expect(await ask({}, created.secret)).toBe(200)
  expect(await ask({ stream: true }, rotated.secret)).toBe(200)
  await tell(`/v1beta/models?key=${created.secret}`, {})
  await gateway.operator('DELETE', `/keys/${created.id}`)
  expect(await ask({}, rotated.secret)).toBe(401)
}

async function provokeSuppliers(): Promise<void> {
  const echoes = [
    { error: { message: `Incorrect API key provided: ${SUPPLIER_SECRET}.`, type: 'invalid_request_error' } },
    { error: { message: `Header was "Authorization: Bearer ${SUPPLIER_SECRET}"`, param: SUPPLIER_SECRET } },
    `<html>key=${SUPPLIER_SECRET}</html>`,
  ]
  for (const status of [400, 401, 403, 404, 413, 422, 429, 500, 503]) {
    for (const echo of echoes) {
      const body = typeof echo === 'string' ? echo : JSON.stringify(echo)
      sandbox.faults.clear()
      sandbox.faults.set({ fault: { type: 'status', status, body } })
      expect(await ask()).toBeGreaterThanOrEqual(400)
      expect(await ask({ stream: true })).toBeGreaterThanOrEqual(400)
    }
  }
  for (const type of ['refuse', 'garbage', 'truncated-end'] as const) {
    sandbox.faults.clear()
    sandbox.faults.set({ fault: { type } })
    await ask()
    await ask({ stream: true })
  }
  sandbox.faults.clear()
  expect(await ask({ model: 'nobody-chat' })).toBe(502)
}

async function provokeRefusals(): Promise<void> {
  const json = { 'content-type': 'application/json' }
  const bearer = (key: string) => ({ ...json, authorization: `Bearer ${key}` })
  for (const key of [WRONG_KEY, BOOTSTRAP_KEY, OPERATOR_TOKEN]) {
    await tell('/v1/chat/completions', { method: 'POST', headers: bearer(key), body: `{"key": "${key}` })
    await tell('/v1/chat/completions', { method: 'POST', headers: bearer(key), body: `{"${key}": NaN}` })
    await tell('/v1/chat/completions', { method: 'PUT', headers: bearer(key), body: '{}' })
    await tell('/nothing/here', { headers: bearer(key) })
    await tell(`/nothing?key=${key}`, {})
    await tell(`/v1beta/models/x:generateContent?key=${key}`, { method: 'POST', headers: json, body: '{}' })
    await tell('/v1/models', { headers: { 'x-api-key': key } })
    await tell('/v1/models', { headers: { 'x-goog-api-key': key } })
    await tell('/operator/v1/accounts', { headers: bearer(key) })
    await sendRaw(gateway.port, writeRequest({ headers: bearer(key), body: '{"half":' }), { patienceMs: 50 })
  }
  // A client that leaves in the middle of its body.
  const socket = connect(gateway.port, '127.0.0.1')
  for (const part of writeRequest({
    headers: { ...bearer(BOOTSTRAP_KEY), 'content-length': '9999' },
    body: '{',
  })) {
    socket.write(part)
  }
  socket.end()
  await new Promise((resolve) => socket.once('close', resolve))
}

async function provokeOperators(): Promise<void> {
  const call = (path: string, token: string, body: string) =>
    tell(`/operator/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
    })
  await call('/accounts', WRONG_OPERATOR_TOKEN, '{}')
  const broken = [
    `{"secret": "${SUPPLIER_SECRET}", "weight": "heavy"}`,
    `{"secret": "${SUPPLIER_SECRET}"`,
    `{"secret": ["${SUPPLIER_SECRET}"]}`,
    `{"secrets": "${SUPPLIER_SECRET}"}`,
  ]
  for (const body of broken) {
    expect(await call('/suppliers/robust/credentials', OPERATOR_TOKEN, body)).toBe(400)
  }
  expect(
    await call('/suppliers/unknown/credentials', OPERATOR_TOKEN, broken[0] ?? ''),
  ).toBeGreaterThanOrEqual(400)
  for (const path of ['/accounts', '/audit', '/settlements', '/routes', '/suppliers/robust/credentials']) {
    await tell(`/operator/v1${path}`, { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } })
  }
}

/** Every file under a folder, by its path there. */
function readFolder(path: string): Map<string, string> {
  const names = readdirSync(path, { recursive: true, withFileTypes: true })
  return new Map(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => [
        join(entry.parentPath, entry.name),
        readFileSync(join(entry.parentPath, entry.name), 'latin1'),
      ]),
  )
}

describe('a secret', () => {
  test('is in no response but the one that created it', () => {
    expect(replies.length).toBeGreaterThan(80)
    expect(replies.filter((text) => leaks(text).length > 0)).toEqual([])
  })

  test('is not in the log', () => {
    const log = gateway.errors()
    expect(log.split('\n').length).toBeGreaterThan(100)
    expect(log).toContain('attempt failed')
    expect(log.split('\n').filter((line) => leaks(line).length > 0)).toEqual([])
  })

  test('is printed only by the start that created it', () => {
    expect(leaks(gateway.output())).toEqual([])
    expect(gateway.output()).toContain('"Authorization: Bearer $TURNPIKE_BOOTSTRAP_KEY"')
  })

  test('is not in the data folder', () => {
    for (const [path, content] of readFolder(folder)) expect([path, leaks(content)]).toEqual([path, []])
  })
})

describe('a secret in files that are still in use', () => {
  test('is not in the journal and the write-ahead log', async () => {
    gateway = await startProcess(environmentOf(folder))
    sandbox.faults.clear()
    sandbox.faults.set({ fault: { type: 'status', status: 401, body: `{"error":"${SUPPLIER_SECRET}"}` } })
    await ask()
    await ask({ model: 'sandbox-chat' })
    const files = await eventually('journal and write-ahead log', () => {
      const found = readFolder(folder)
      const sizes = [...found].filter(([path, content]) => /journal-|-wal$/.test(path) && content.length > 0)
      return sizes.length >= 2 && found
    })
    for (const [path, content] of files) expect([path, leaks(content)]).toEqual([path, []])
  })
})

describe('a start that fails', () => {
  test('does not repeat a secret', async () => {
    const tries: Record<string, string>[] = [
      { DATABASE_URL: `postgres://user:${DATABASE_PASSWORD}@127.0.0.1:1/turnpike` },
      { DATABASE_URL: `postgres://user:${DATABASE_PASSWORD}@[broken/turnpike` },
      { DATABASE_URL: `mysql://user:${DATABASE_PASSWORD}@127.0.0.1/turnpike` },
      { TURNPIKE_OPERATOR_TOKEN: 'short-Secr3t' },
      { TURNPIKE_BOOTSTRAP_KEY: 'no-prefix-but-long-enough-Secr3t' },
      { TURNPIKE_SECRET: 'short-Secr3t' },
    ]
    const own = makeFolder()
    const runs = await Promise.all(
      tries.map((environment, index) => runToExit(environmentOf(join(own, String(index)), environment))),
    )
    removeFolder(own)
    for (const { exitCode, output, errors } of runs) {
      expect([exitCode, output]).toEqual([1, ''])
      expect(leaks(errors)).toEqual([])
      expect(errors).not.toContain('Secr3t')
      expect(errors.trimEnd().split('\n')).toHaveLength(1)
    }
  })
})
