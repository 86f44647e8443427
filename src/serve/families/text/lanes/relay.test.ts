import { expect, test } from 'bun:test'
import { chatCompletion } from '../../../../protocols/chat-completion/index.ts'
import type { Protocol } from '../../../../protocols/protocol.ts'
import { responses } from '../../../../protocols/responses/index.ts'
import { aModel, aRoute, aSupplier } from '../../../../vocabulary/testing/specimens.ts'
import type { LaneParts } from './lane-plan.ts'
import { RelayPlan } from './plan-lane.ts'

const ADDRESS = { rest: '', query: new URLSearchParams() }

function planFor(protocol: Protocol, text: string) {
  const request = protocol.readRequest(JSON.parse(text), text, ADDRESS)
  const exchange = { requestId: 'req_1', headers: new Headers() }
  const prepared = { protocol, request, exchange, target: { model: aModel() } }
  const candidate = { route: { route: aRoute({ upstreamModel: 'upstream-1' }), supplier: aSupplier() } }
  const gateway = {
    clock: { nowMs: () => 0 },
    newId: (prefix: string) => prefix,
    learned: { note: () => undefined },
  }
  const plan = new RelayPlan({
    admission: { prepared, promptTokens: 1 },
    candidate,
    gateway,
  } as unknown as LaneParts)
  return { plan }
}

const CHAT_REPLY =
  '{ "id":"c", "object":"chat.completion", "choices":[{"index":0,"message":{"content":"Hi"}}], "odd":1.0 }'

test('forwards the client’s bytes and replaces only the model name', () => {
  const { plan } = planFor(
    chatCompletion,
    '{ "messages":[{"role":"user","content":"é"}], "model":"m", "x":1.0 }',
  )
  expect(plan.body).toBe('{ "messages":[{"role":"user","content":"é"}], "model":"upstream-1", "x":1.0 }')
  expect([plan.copies, plan.isStreamed, plan.dropped]).toEqual([1, false, []])
})

test('returns the supplier’s bytes unchanged, along with the facts read from them', () => {
  const { plan } = planFor(chatCompletion, '{"messages":[{"role":"user","content":"é"}],"model":"m"}')
  const whole = plan.readWhole([CHAT_REPLY])
  expect(whole?.body).toBe(CHAT_REPLY)
  expect(whole?.facts.outputCharacters).toBe(2)
  expect(whole?.reply).toEqual(JSON.parse(CHAT_REPLY))
})

test('adds fields that the published API has and the supplier lacks', () => {
  const { plan } = planFor(responses, '{"model":"m","input":"Hi"}')
  const reply = '{"id":"resp_1","object":"response","created_at":12,"output":[],"status":"completed"}'
  expect(JSON.parse(plan.readWhole([reply])?.body ?? '')).toEqual({
    ...JSON.parse(reply),
    created: 12,
    store: true,
  })
})

test.each(['', 'not JSON', '[]', '{}', 'null'])('%j is no reply', (text) => {
  const { plan } = planFor(chatCompletion, '{"messages":[{"role":"user","content":"é"}],"model":"m"}')
  expect(plan.readWhole([text])).toBeNull()
})

test('a whole reply to a request for a stream becomes a stream', () => {
  const { plan } = planFor(
    chatCompletion,
    '{"messages":[{"role":"user","content":"é"}],"model":"m","stream":true}',
  )
  expect(plan.isStreamed).toBe(true)
  const whole = plan.readWhole([CHAT_REPLY])
  expect(whole?.body).toStartWith('data: {')
  expect(whole?.body).toContain('"content":"Hi"')
  expect(whole?.body).toEndWith('data: [DONE]\n\n')
})

test('a rejected parameter is left out when the supplier names it', async () => {
  const { plan } = planFor(
    chatCompletion,
    '{"messages":[{"role":"user","content":"é"}],"model":"m","temperature":1}',
  )
  const failure = { kind: 'input', status: 400, message: 'no', param: null, retryAfterSeconds: null } as const
  expect(await plan.mend(failure)).toBeNull()
  const mended = await plan.mend({ ...failure, refusedParam: 'temperature' })
  expect(mended).toMatchObject({ dropped: ['temperature'] })
  expect(JSON.parse(mended?.body ?? '')).toEqual({
    messages: [{ role: 'user', content: 'é' }],
    model: 'upstream-1',
  })
})
