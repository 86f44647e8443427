import { describe, expect, test } from 'bun:test'
import { type Answer, finishOf } from '../../../conversation/answer.ts'
import { unfold } from '../../../conversation/fold.ts'
import { textPart } from '../../../conversation/part.ts'
import { openProof, type Proof } from '../../../conversation/proof.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { ReplyContext } from '../../translation.ts'
import { encodeReply } from '../reply/encode-reply.ts'
import { decodeRequest } from '../request/decode-request.ts'
import { validateRequest } from '../request/validate.ts'
import { ResponsesEncoder } from './encode-stream.ts'

interface WireEvent {
  readonly type: string
  readonly [field: string]: unknown
}

function context(): ReplyContext {
  let count = 0
  return {
    requestId: 'req_1',
    model: 'm',
    createdAtMs: 1_763_200_000_999,
    nowMs: () => 1_763_200_002_999,
    promptTokens: 9,
    newId: (prefix) => `${prefix}${++count}`,
  }
}

const REQUEST = validateRequest({
  model: 'm',
  input: 'hi',
  instructions: 'be brief',
  temperature: 0,
  max_output_tokens: 50,
  metadata: { a: 'b' },
  previous_response_id: 'resp_0',
  store: false,
  reasoning: { effort: 'low' },
  text: { verbosity: 'high' },
  tools: [{ type: 'function', name: 'f' }],
  tool_choice: 'required',
})
const USAGE = { input: 10, cacheRead: 4, cacheWrite: 1, output: 20, reasoning: 6, images: 0 }
const PROOF: Proof = {
  origin: 'messages',
  model: 'deep',
  route: 'sup_1',
  on: 'thinking',
  value: 'c2ln',
  itemId: null,
}

function answerOf(parts: Answer['choices'][0]['parts'], finish = finishOf('stop')): Answer {
  return { id: 'x', choices: [{ index: 0, parts, finish, logprobs: null }], usage: USAGE }
}

function stream(answer: Answer): WireEvent[] {
  const encoder = new ResponsesEncoder(REQUEST, context())
  const frames = unfold(answer)
    .map((event) => encoder.push(event))
    .join('')
  return [...frames.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
}

const typesOf = (answer: Answer) => stream(answer).map(({ type }) => type.replace('response.', ''))
const reply = (answer: Answer) => encodeReply(REQUEST, answer, context())
const call = {
  type: 'tool-call' as const,
  id: 'call_a',
  name: 'f',
  kind: 'function' as const,
  input: '{}',
  namespace: null,
  proof: null,
}

describe('the events of', () => {
  test('a text with a citation', () => {
    const citations = [{ url: 'https://a.example/', title: null, citedText: null, start: null, end: null }]
    const events = stream(answerOf([{ ...textPart('Hello'), citations }])).slice(2, -1)
    const place = { item_id: 'msg_2', output_index: 0, content_index: 0 }
    const annotation = {
      type: 'url_citation',
      url: 'https://a.example/',
      title: '',
      start_index: 0,
      end_index: 5,
    }
    const part = { type: 'output_text', text: 'Hello', annotations: [annotation], logprobs: [] }
    const item = { id: 'msg_2', type: 'message', role: 'assistant', status: 'completed', content: [part] }
    expect(events).toEqual([
      {
        type: 'response.output_item.added',
        sequence_number: 2,
        output_index: 0,
        item: { ...item, status: 'in_progress', content: [] },
      },
      {
        type: 'response.content_part.added',
        sequence_number: 3,
        ...place,
        part: { ...part, text: '', annotations: [] },
      },
      { type: 'response.output_text.delta', sequence_number: 4, ...place, delta: 'Hello', logprobs: [] },
      {
        type: 'response.output_text.annotation.added',
        sequence_number: 5,
        ...place,
        annotation_index: 0,
        annotation,
      },
      { type: 'response.output_text.done', sequence_number: 6, ...place, text: 'Hello', logprobs: [] },
      { type: 'response.content_part.done', sequence_number: 7, ...place, part },
      { type: 'response.output_item.done', sequence_number: 8, output_index: 0, item },
    ])
  })

  test('thinking and a call', () => {
    const events = stream(
      answerOf(
        [{ type: 'thinking', text: 'hm', proof: PROOF, isRedacted: false }, call],
        finishOf('tool-call'),
      ),
    )
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events[7]).toMatchObject({
      output_index: 0,
      item: { id: 'rs_2', type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
    })
    expect(events[10]).toMatchObject({ item_id: 'fc_3', output_index: 1, name: 'f', arguments: '{}' })
    expect(events[11]).toMatchObject({ item: { id: 'fc_3', call_id: 'call_a', status: 'completed' } })
  })

  test('consecutive texts and refusals in one message, and a new one after a call', () => {
    const answer = answerOf([textPart('a'), { type: 'refusal', text: 'b' }, call, textPart('c')])
    const output = reply(answer).output as { type: string; content?: unknown[] }[]
    expect(output.map(({ type, content }) => [type, content?.length])).toEqual([
      ['message', 2],
      ['function_call', undefined],
      ['message', 1],
    ])
  })

  test('an answer without parts', () =>
    expect(typesOf(answerOf([], finishOf('filter')))).toEqual(['created', 'in_progress', 'incomplete']))
})

test('the first response has no usage and output, the last has both and the request parameters', () => {
  const events = stream(answerOf([textPart('Hello')]))
  expect(events[0]?.response).toMatchObject({ status: 'in_progress', usage: null, output: [] })
  expect(events[0]?.response).not.toHaveProperty('output_text')
  const last = events.at(-1)?.response
  expect(last).toEqual(reply(answerOf([textPart('Hello')])) as never)
  expect(last).toMatchObject({
    id: 'resp_1',
    object: 'response',
    created: 1_763_200_000,
    created_at: 1_763_200_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: 'be brief',
    max_output_tokens: 50,
    metadata: { a: 'b' },
    model: 'm',
    output_text: 'Hello',
    parallel_tool_calls: true,
    previous_response_id: 'resp_0',
    reasoning: { effort: 'low', summary: null },
    store: false,
    temperature: 0,
    text: { format: { type: 'text' }, verbosity: 'high' },
    tool_choice: 'required',
    tools: [{ type: 'function', name: 'f' }],
    top_p: 1,
    truncation: 'disabled',
    access_programs: null,
    usage: {
      input_tokens: 15,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 6 },
      total_tokens: 35,
    },
  })
})

describe('finish reason', () => {
  const done = { status: 'completed', incomplete_details: null }
  const cut = (reason: string) => ({ status: 'incomplete', incomplete_details: { reason } })
  test.each([
    ['stop', done],
    ['stop-sequence', done],
    ['tool-call', done],
    ['pause', done],
    ['other', done],
    ['length', cut('max_output_tokens')],
    ['context-full', cut('max_output_tokens')],
    ['filter', cut('content_filter')],
    ['refusal', cut('content_filter')],
  ] as const)('%s', (reason, expected) =>
    expect(reply(answerOf([textPart('a')], finishOf(reason)))).toMatchObject(expected),
  )

  test('a refusal with text is completed', () =>
    expect(reply(answerOf([{ type: 'refusal', text: 'no' }], finishOf('refusal')))).toMatchObject(done))

  test('only the last item of a truncated answer is incomplete', () => {
    const { output } = reply(answerOf([call, { ...call, id: 'call_b', input: '{"a' }], finishOf('length')))
    expect(output).toMatchObject([{ status: 'completed' }, { status: 'incomplete', arguments: '{"a' }])
  })
})

describe('output that clients send back', () => {
  const replay = (answer: Answer) =>
    decodeRequest(validateRequest({ model: 'm', input: JSON.parse(JSON.stringify(reply(answer).output)) }))
      .turns[0]?.parts

  test('decodes to the same parts', () => {
    const parts = [
      { type: 'thinking' as const, text: 'hm', proof: PROOF, isRedacted: false },
      { type: 'thinking' as const, text: 'unsigned', proof: null, isRedacted: false },
      { type: 'thinking' as const, text: '', proof: PROOF, isRedacted: true },
      textPart('a'),
      { ...call, kind: 'custom' as const, namespace: 'n', input: 'x' },
    ]
    expect(replay(answerOf(parts))).toEqual(parts)
  })

  test('carries a call signature in a reasoning item before the call', () => {
    const proof: Proof = { ...PROOF, origin: 'content-generation', on: 'tool-call' }
    expect(replay(answerOf([{ ...call, proof }]))).toEqual([
      { type: 'thinking', text: '', proof, isRedacted: false },
      call,
    ])
  })
})

test('a call without arguments has an empty object, also in its deltas', () => {
  const deltas = stream(answerOf([{ ...call, input: '' }])).filter(({ type }) =>
    type.endsWith('arguments.delta'),
  )
  expect(deltas).toMatchObject([{ delta: '{}' }])
})

test('calls without a unique id get new ids', () => {
  const output = reply(answerOf([call, call, { ...call, id: '' }])).output as { call_id: string }[]
  expect(new Set(output.map(({ call_id }) => call_id)).size).toBe(3)
  expect(output[0]?.call_id).toBe('call_a')
})

test('thinking without a signature is marked as such', () => {
  const [item] = reply(answerOf([{ type: 'thinking', text: 'hm', proof: null, isRedacted: false }]))
    .output as {
    encrypted_content: string
  }[]
  expect(openProof(item?.encrypted_content ?? '')?.origin).toBe('none')
})

test('without usage from the supplier, input_tokens is the estimate of the prompt', () =>
  expect(reply({ ...answerOf([]), usage: null }).usage).toMatchObject({ input_tokens: 9, output_tokens: 0 }))

test('log probabilities belong to their text', () => {
  const logprobs = [{ token: 'é', logprob: -1, top: [{ token: 'e', logprob: -2 }] }]
  const [choice] = answerOf([textPart('é'), call]).choices
  if (choice === undefined) throw new Error('no choice')
  expect(reply({ ...answerOf([]), choices: [{ ...choice, logprobs }] }).output).toMatchObject([
    {
      content: [
        {
          logprobs: [
            {
              token: 'é',
              bytes: [195, 169],
              logprob: -1,
              top_logprobs: [{ token: 'e', bytes: [101], logprob: -2 }],
            },
          ],
        },
      ],
    },
    {},
  ])
})

describe('a failure', () => {
  test('includes closed items only, and leaves the open one open', () => {
    const encoder = new ResponsesEncoder(REQUEST, context())
    for (const event of unfold(answerOf([textPart('a'), call])).slice(0, -4)) encoder.push(event)
    const frames = encoder.fail(new GatewayError('supplier_rate_limited', 'Slow down.'))
    expect(frames).not.toContain('output_item.done')
    const [failed] = [...frames.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
    expect(failed.response).toMatchObject({
      id: 'resp_1',
      status: 'failed',
      error: { code: 'rate_limit_exceeded', message: 'Slow down.' },
      output: [{ type: 'message' }],
    })
    expect(encoder.finalReply).toBeNull()
  })
})
