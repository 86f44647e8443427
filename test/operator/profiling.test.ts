import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Profiler } from '../../src/edges/profiling/profiler.ts'
import { chat } from '../support/chat.ts'
import { BOOTSTRAP_KEY, OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

interface CpuProfile {
  readonly nodes: readonly { readonly callFrame: { readonly functionName: string; readonly url: string } }[]
  readonly samples: readonly number[]
}

const post = (gateway: TestGateway, path: string, token = OPERATOR_TOKEN) =>
  fetch(`${gateway.url}/debug/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })

async function codeOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } }
  return `${response.status} ${error.code}`
}

describe('with profiling on', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ environment: { TURNPIKE_PROFILING: 'on' } })
  })
  afterAll(() => gateway.stop())

  test('a CPU profile shows what the gateway does, one at a time', async () => {
    const asked = Promise.all([
      post(gateway, 'cpu-profile?seconds=1'),
      post(gateway, 'cpu-profile?seconds=1'),
    ])
    let isOver = false
    void asked.then(() => {
      isOver = true
    })
    while (!isOver) await (await chat(gateway.url, {}, { key: BOOTSTRAP_KEY })).text()
    const [response, refused] = (await asked).toSorted((one, other) => one.status - other.status)
    if (response === undefined || refused === undefined) throw new Error('there are two answers')
    expect(await codeOf(refused)).toBe('503 temporarily_unavailable')
    expect(response.headers.get('content-disposition')).toContain('.cpuprofile')
    const { nodes, samples } = (await response.json()) as CpuProfile
    expect(samples.length).toBeGreaterThan(10)
    expect(nodes.some(({ callFrame }) => callFrame.url.includes('serve-request.ts'))).toBe(true)
  })

  test('a heap snapshot needs a confirmation and is in the audit', async () => {
    expect(await codeOf(await post(gateway, 'heap-snapshot'))).toBe('400 invalid_request')
    const response = await post(gateway, 'heap-snapshot?confirm=contains-secrets')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const { snapshot } = (await response.json()) as { snapshot: { meta: object; node_count: number } }
    expect(snapshot.node_count).toBeGreaterThan(1_000)
    const { data } = await gateway.operator<{ data: { action: string; actor: string }[] }>('GET', '/audit')
    const taken = data.filter(({ action }) => action.startsWith('process.'))
    expect(taken.map(({ action }) => action).sort()).toEqual(['process.cpu_profile', 'process.heap_snapshot'])
  })

  test('refuses a long profile, and anyone but operators', async () => {
    expect(await codeOf(await post(gateway, 'cpu-profile?seconds=61'))).toBe('400 invalid_request')
    expect(await codeOf(await post(gateway, 'cpu-profile', BOOTSTRAP_KEY))).toBe('401 auth_invalid')
  })
})

test('is off by default', async () => {
  const gateway = await startTestGateway()
  try {
    expect(await codeOf(await post(gateway, 'cpu-profile'))).toBe('403 permission_denied')
    expect(await codeOf(await post(gateway, 'heap-snapshot?confirm=contains-secrets'))).toBe(
      '403 permission_denied',
    )
  } finally {
    await gateway.stop()
  }
})

test('nothing is taken that is not on record, or of a heap that is too large', async () => {
  const noted: string[] = []
  const note = async (what: string) => {
    noted.push(what)
    throw new Error('the database is away')
  }
  const profiler = new Profiler({ isOn: true, note, heapBytes: () => 2 * 1024 ** 3 })
  await expect(profiler.takeHeapSnapshot('operator')).rejects.toThrow('The heap has')
  expect(noted).toEqual([])
  const small = new Profiler({ isOn: true, note, heapBytes: () => 1 })
  await expect(small.takeHeapSnapshot('operator')).rejects.toThrow('the database is away')
  // A failure does not block the next one.
  await expect(small.takeHeapSnapshot('operator')).rejects.toThrow('the database is away')
  expect(noted).toHaveLength(2)
})
