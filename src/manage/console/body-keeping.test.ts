import { describe, expect, test } from 'bun:test'
import type { KeptBody } from '../../vocabulary/settlement.ts'
import { BodyKeeping, LONGEST_BODY } from './body-keeping.ts'

const ON = { accountId: 'acc_1', isEnabled: true, days: 1 }
const encoder = new TextEncoder()

function open(saveBody: (body: KeptBody) => Promise<void>) {
  const troubles: string[] = []
  const log = {
    request: () => undefined,
    attemptFailed: () => undefined,
    notice: () => undefined,
    trouble: (message: string) => void troubles.push(message),
  }
  const storage = { saveBody, findBody: async () => null, deleteBodies: async () => 0 }
  return { troubles, keeping: new BodyKeeping({ storage, clock: { nowMs: () => 5 }, log }, [ON]) }
}

describe('keeping bodies', () => {
  test('records nothing for an account that has not enabled it', () => {
    const { keeping } = open(async () => undefined)
    expect(keeping.begin('acc_2', 'request')).toBeNull()
    keeping.set({ ...ON, isEnabled: false })
    expect(keeping.begin('acc_1', 'request')).toBeNull()
  })

  test('joins characters that were split between chunks', async () => {
    const kept: KeptBody[] = []
    const { keeping } = open(async (body) => void kept.push(body))
    const recorder = keeping.begin('acc_1', 'question')
    const bytes = encoder.encode('für')
    recorder?.add(bytes.subarray(0, 2))
    recorder?.add(bytes.subarray(2))
    recorder?.end('req_1')
    recorder?.end('req_1')
    await keeping.flush()
    expect(kept).toEqual([
      {
        accountId: 'acc_1',
        requestId: 'req_1',
        createdAtMs: 5,
        request: 'question',
        response: 'für',
        isRequestCut: false,
        isResponseCut: false,
      },
    ])
  })

  test('holds no more of an answer than it keeps', async () => {
    const kept: KeptBody[] = []
    const { keeping } = open(async (body) => void kept.push(body))
    const recorder = keeping.begin('acc_1', 'question')
    for (let times = 0; times < 5; times++) recorder?.add('x'.repeat(LONGEST_BODY / 2))
    recorder?.end('req_1')
    await keeping.flush()
    expect([kept[0]?.response?.length, kept[0]?.isResponseCut]).toEqual([LONGEST_BODY, true])
  })

  test('drops bodies when the database is slow, and logs it once', async () => {
    const { promise: isBack, resolve } = Promise.withResolvers<void>()
    let saved = 0
    const { keeping, troubles } = open(async () => {
      await isBack
      saved += 1
    })
    for (let number = 0; number < 300; number++) keeping.begin('acc_1', 'q')?.end(`req_${number}`)
    resolve()
    await keeping.flush()
    expect([saved, troubles]).toEqual([200, ['bodies are dropped']])
  })

  test('drops waiting bodies when it is switched off, and continues after a failure', async () => {
    let tries = 0
    const { keeping, troubles } = open(() => {
      tries += 1
      return Promise.reject(new Error('no'))
    })
    keeping.begin('acc_1', 'q')?.end('req_1')
    keeping.begin('acc_1', 'q')?.end('req_2')
    await keeping.flush()
    expect([tries, troubles.length]).toEqual([2, 2])
    keeping.begin('acc_1', 'q')?.end('req_3')
    keeping.set({ ...ON, isEnabled: false })
    await keeping.flush()
    expect(tries).toBe(2)
  })
})
