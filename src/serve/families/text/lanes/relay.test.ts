import { expect, test } from 'bun:test'
import { chatCompletion } from '../../../../protocols/chat-completion/index.ts'
import type { Protocol } from '../../../../protocols/protocol.ts'
import { responses } from '../../../../protocols/responses/index.ts'
import { RelayPlan } from './relay.ts'

const ADDRESS = { rest: '', query: new URLSearchParams() }
const FACTS = { usage: null, outputCharacters: 0 }

function planFor(protocol: Protocol, text: string) {
  const unfolded: string[] = []
  const request = protocol.readRequest(JSON.parse(text), text, ADDRESS)
  const plan = new RelayPlan({
    protocol,
    request,
    upstreamModel: 'upstream-1',
    unfoldReply: (reply) => {
      unfolded.push(reply)
      return { body: 'frames', facts: FACTS }
    },
    mend: (_failure, refused) => Promise.resolve(refused),
  })
  return { plan, unfolded }
}

const CHAT_REPLY =
  '{ "id":"c", "object":"chat.completion", "choices":[{"index":0,"message":{"content":"Hi"}}], "odd":1.0 }'

test('the client’s own bytes go out, and only the model has another name', () => {
  const { plan } = planFor(
    chatCompletion,
    '{ "messages":[{"role":"user","content":"é"}], "model":"m", "x":1.0 }',
  )
  expect(plan.body).toBe('{ "messages":[{"role":"user","content":"é"}], "model":"upstream-1", "x":1.0 }')
  expect([plan.copies, plan.isStreamed, plan.dropped]).toEqual([1, false, []])
})

test('the supplier’s bytes come back as they are, with what they say', () => {
  const { plan, unfolded } = planFor(
    chatCompletion,
    '{"messages":[{"role":"user","content":"é"}],"model":"m"}',
  )
  const whole = plan.readWhole([CHAT_REPLY])
  expect(whole?.body).toBe(CHAT_REPLY)
  expect(whole?.facts.outputCharacters).toBe(2)
  expect(whole?.reply).toEqual(JSON.parse(CHAT_REPLY))
  expect(unfolded).toEqual([])
})

test('what the published API has and the supplier’s does not is added', () => {
  const { plan } = planFor(responses, '{"model":"m","input":"Hi"}')
  const reply = '{"id":"resp_1","object":"response","created_at":12,"output":[],"status":"completed"}'
  expect(JSON.parse(plan.readWhole([reply])?.body ?? '')).toEqual({ ...JSON.parse(reply), created: 12 })
})

test.each(['', 'not JSON', '[]', '{}', 'null'])('%j is no reply', (text) => {
  const { plan } = planFor(chatCompletion, '{"messages":[{"role":"user","content":"é"}],"model":"m"}')
  expect(plan.readWhole([text])).toBeNull()
})

test('a whole reply to a request for a stream is told as one', () => {
  const { plan, unfolded } = planFor(
    chatCompletion,
    '{"messages":[{"role":"user","content":"é"}],"model":"m","stream":true}',
  )
  expect(plan.isStreamed).toBe(true)
  expect(plan.readWhole([CHAT_REPLY])).toEqual({ body: 'frames', facts: FACTS })
  expect(unfolded).toEqual([CHAT_REPLY])
})

test('what was refused is mended by whoever knows how', async () => {
  const { plan } = planFor(chatCompletion, '{"messages":[{"role":"user","content":"é"}],"model":"m"}')
  const failure = { kind: 'input', status: 400, message: 'no', param: null, retryAfterSeconds: null } as const
  expect(await plan.mend(failure)).toBe(plan)
})
