import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OpenAI } from 'openai'
import { Compile } from 'typebox/schema'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { OPENAI_SDKS } from '../support/sdk-clients.ts'
import { failureOf, IMAGE, WEATHER_SCHEMA } from './materials.ts'

let sandbox: Sandbox
beforeAll(() => {
  sandbox = startSandbox({ clock: { nowMs: () => 1_800_000_000_000 } })
})
afterAll(() => sandbox.stop())

const weather = { type: 'function' as const, name: 'get_weather', parameters: WEATHER_SCHEMA, strict: true }
const time = { type: 'function' as const, name: 'get_time', parameters: null, strict: false }
const shell = { type: 'custom' as const, name: 'shell' }

describe.each(OPENAI_SDKS)('%s', (name, _sdk, createClient) => {
  let client: OpenAI
  beforeAll(() => {
    client = createClient({ apiKey: 'sk-sandbox-test', baseURL: `${sandbox.url}/v1`, maxRetries: 0 })
  })
  const chat = (input: string) => ({ model: 'sandbox-chat', input })

  test('gets a whole answer', async () => {
    const response = await client.responses.create({ ...chat('Tell me a story'), instructions: 'Be brief.' })
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      created_at: 1_800_000_000,
      instructions: 'Be brief.',
      output: [{ type: 'message', role: 'assistant', status: 'completed' }],
      usage: { output_tokens_details: { reasoning_tokens: 0 } },
    })
    expect(response.output_text).toBe('You said: "Tell me a story". I follow 1 instruction.')
    const { input_tokens = 0, output_tokens, total_tokens } = response.usage ?? {}
    expect(output_tokens).toBe(Math.ceil(response.output_text.length / 4))
    expect(total_tokens).toBe(input_tokens + (output_tokens ?? 0))
  })

  test('folds a stream into the whole answer, events numbered without a gap', async () => {
    const request = { ...chat('Do both in parallel'), model: 'sandbox-tools', tools: [weather, shell] }
    const fields = { ...request, reasoning: { effort: 'low' as const, summary: 'auto' as const } }
    const stream = client.responses.stream(fields)
    const numbers: number[] = []
    for await (const event of stream) numbers.push(event.sequence_number)
    expect(numbers).toEqual(numbers.map((_, index) => index))
    const folded = await stream.finalResponse()
    const whole = await client.responses.create(fields)
    expect(folded.output.map(withoutIds)).toEqual(whole.output.map(withoutIds))
    expect(folded.usage).toEqual(whole.usage)
    expect(whole.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call', 'custom_tool_call'])
  })

  test('goes through a tool loop with its signed thoughts', async () => {
    const request = { model: 'sandbox-reasoner', tools: [weather], store: false }
    const question = { role: 'user' as const, content: 'What is the weather?' }
    const first = await client.responses.stream({ ...request, input: [question] }).finalResponse()
    const call = first.output.find((item) => item.type === 'function_call')
    expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Paris","unit":"celsius"}' })
    expect(first.output[0]).toMatchObject({ type: 'reasoning', summary: [] })
    const second = await client.responses.create({
      ...request,
      input: [
        question,
        ...replay(first.output),
        { type: 'function_call_output', call_id: call?.call_id ?? '', output: '18 degrees' },
      ],
    })
    expect(second.output_text).toBe('get_weather returned: 18 degrees')
  })

  test('runs a custom tool', async () => {
    const first = await client.responses.create({
      model: 'sandbox-tools',
      input: 'list files',
      tools: [shell],
    })
    const [call] = first.output
    expect(call).toMatchObject({ type: 'custom_tool_call', name: 'shell', input: 'list files' })
    const call_id = call?.type === 'custom_tool_call' ? call.call_id : ''
    const second = await client.responses.create({
      model: 'sandbox-tools',
      input: [...replay(first.output), { type: 'custom_tool_call_output', call_id, output: 'a.txt' }],
      tools: [shell],
    })
    expect(second.output_text).toBe('shell returned: a.txt')
  })

  test('respects the choice of tools', async () => {
    const called = async (fields: object) => {
      const request = { model: 'sandbox-tools', input: 'Both in parallel', tools: [weather, time], ...fields }
      const { output } = await client.responses.create(request)
      return output.flatMap((item) => (item.type === 'function_call' ? [item.name] : []))
    }
    expect(await called({})).toEqual(['get_weather', 'get_time'])
    expect(await called({ parallel_tool_calls: false })).toEqual(['get_weather'])
    expect(await called({ tool_choice: 'none' })).toEqual([])
    expect(await called({ tool_choice: { type: 'function', name: 'get_time' } })).toEqual(['get_time'])
    const allowed = {
      type: 'allowed_tools',
      mode: 'required',
      tools: [{ type: 'function', name: 'get_time' }],
    }
    expect(await called({ tool_choice: allowed })).toEqual(['get_time'])
  })

  test('names the group of a grouped tool', async () => {
    const tools = [
      { type: 'namespace', name: 'files', description: 'Files.', tools: [{ ...time, name: 'list' }] },
    ]
    const { output } = await client.responses.create({
      model: 'sandbox-tools',
      input: 'go',
      tools: tools as never,
    })
    expect(output[0]).toMatchObject({ type: 'function_call', name: 'list', namespace: 'files' })
  })

  test('sees images, also those a tool returns', async () => {
    const image = { type: 'input_image' as const, image_url: IMAGE.url, detail: 'auto' as const }
    const seen = await client.responses.create({
      model: 'sandbox-chat',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'What is this?' }, image] }],
    })
    expect(seen.output_text).toBe(`You said: "What is this?". I see 1 image: ${IMAGE.remark}.`)
    const returned = await client.responses.create({
      model: 'sandbox-tools',
      input: [
        { role: 'user', content: 'Look' },
        { type: 'function_call', call_id: 'c1', name: 'camera', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: [image] },
      ],
    })
    expect(returned.output_text).toBe(`camera returned:  I see 1 image: ${IMAGE.remark}.`)
  })

  test('gets structured output, a refusal and a cut answer', async () => {
    const parsed = await client.responses.parse({
      ...chat('Weather, please'),
      text: { format: { type: 'json_schema', name: 'weather', schema: WEATHER_SCHEMA, strict: true } },
    })
    expect(Compile(WEATHER_SCHEMA).Check(JSON.parse(parsed.output_text))).toBe(true)
    const refused = await client.responses.stream(chat('Please refuse this')).finalResponse()
    expect(refused.status).toBe('completed')
    expect(refused.output[0]).toMatchObject({
      content: [{ type: 'refusal', refusal: 'I am sorry, but I cannot help with that.' }],
    })
    const cut = { ...chat('count to 1000'), max_output_tokens: 16 }
    for (const response of [
      await client.responses.create(cut),
      await client.responses.stream(cut).finalResponse(),
    ]) {
      expect(response).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ status: 'incomplete' }],
        usage: { output_tokens: 16 },
      })
    }
  })

  test('reads cached tokens once a long prompt is repeated', async () => {
    const request = chat(`${name} `.repeat(600))
    const first = await client.responses.create(request)
    const second = await client.responses.create(request)
    expect(first.usage?.input_tokens_details.cached_tokens).toBe(0)
    expect(second.usage?.input_tokens_details.cached_tokens).toBeGreaterThanOrEqual(1024)
  })

  test('counts a prompt as an answer would', async () => {
    const counted = await client.responses.inputTokens.count(chat('How long is this?'))
    const { usage } = await client.responses.create(chat('How long is this?'))
    expect(counted.input_tokens).toBe(usage?.input_tokens ?? 0)
  })

  test('fails in mid-stream as OpenAI does', async () => {
    sandbox.faults.set({ fault: { type: 'error-in-stream', afterPieces: 6 }, times: 1 })
    const stream = await client.responses.create({ ...chat('count to 9'), stream: true })
    const seen: string[] = []
    try {
      for await (const event of stream) seen.push(event.type)
    } catch {
      // The newer client throws at the event that the older one hands out.
      seen.push('error')
    }
    expect(seen.at(-1)).toBe('error')
    expect(seen).not.toContain('response.completed')
  })

  test('gets the errors OpenAI would send', async () => {
    expect(await failureOf(client.responses.create({ ...chat('Hi'), model: 'gpt-9' }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
    })
    const request = { ...chat('Hi'), previous_response_id: 'resp_1' }
    expect(await failureOf(client.responses.create(request))).toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    })
  })
})

/** What came out goes in again; the types of the client know of outputs that are no inputs. */
function replay(
  output: readonly OpenAI.Responses.ResponseOutputItem[],
): OpenAI.Responses.ResponseInputItem[] {
  return output as unknown as OpenAI.Responses.ResponseInputItem[]
}

/** Ids differ from call to call, and a thought's seal names its id; the helper adds what it has parsed. */
function withoutIds(item: object): object {
  const kept = { ...item }
  for (const field of ['id', 'call_id', 'encrypted_content', 'parsed_arguments'])
    Reflect.deleteProperty(kept, field)
  return kept
}
