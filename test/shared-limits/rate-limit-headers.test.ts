import { beforeEach, describe, expect, test } from 'bun:test'
import { type TestNode, World } from '../../src/edges/windows/testing/shared-world.ts'
import { GatewayError } from '../../src/errors/gateway-error.ts'
import { buildSnapshot } from '../../src/rules/catalog/build-snapshot.ts'
import {
  limitHeaders,
  ownWindows,
  rateLimitError,
  serveLimited,
} from '../../src/serve/admission/own-limits.ts'
import type { Caller } from '../../src/serve/admission/prepared-request.ts'
import type { Gateway } from '../../src/serve/gateway.ts'
import { aKey, anAccount } from '../../src/vocabulary/testing/specimens.ts'

const nothing = { accounts: [], keys: [], suppliers: [], credentials: [], models: [], routes: [] }
const caller: Caller = {
  account: anAccount(),
  key: aKey({ rpm: null, tpm: null }),
  limits: { rpm: 1, tpm: 100 },
  snapshot: buildSnapshot({ version: 1, ...nothing }),
}

let node: TestNode
let gateway: Gateway

beforeEach(async () => {
  node = await new World().addNode('node')
  gateway = { admissions: node.admissions } as unknown as Gateway
  node.sharedLimits.calls.length = 0
})

function errorOf(error: GatewayError): Promise<unknown> {
  const request = { caller, gateway, exchange: null }
  return serveLimited(request, () => Promise.reject(error)).catch((thrown: unknown) => thrown)
}

describe('a refusal', () => {
  test('for a full window reports it without another look-up', async () => {
    const windows = ownWindows(caller, { requests: 1, tokens: 10 })
    const [full] = windows
    if (full === undefined) throw new Error('the caller must have a window')
    const error = rateLimitError(full, 7).withHeaders(limitHeaders(node.admissions, windows))
    expect(await errorOf(error)).toBe(error)
    expect(node.sharedLimits.calls).toEqual([])
  })

  test('for another reason reports the current windows', async () => {
    const thrown = await errorOf(new GatewayError('model_not_found', 'There is no such model.'))
    expect(thrown).toMatchObject({
      code: 'model_not_found',
      headers: { 'x-ratelimit-remaining-requests': '1' },
    })
    expect(node.sharedLimits.calls).toEqual(['look'])
  })
})
