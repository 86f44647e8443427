import type { OpenAI } from 'openai'
import { type ClientOptions, OPENAI_SDKS } from '../../support/sdk-clients.ts'
import {
  type Asking,
  type Driver,
  dataUrl,
  type InputImage,
  type Opening,
  type SdkReply,
  type Talk,
  type ToolResult,
} from '../talk.ts'
import { PACKAGES } from './packages.ts'

type Response = OpenAI.Responses.Response
type Item = OpenAI.Responses.ResponseInputItem
type OutputItem = OpenAI.Responses.ResponseOutputItem
type Request = OpenAI.Responses.ResponseCreateParamsNonStreaming

export const RESPONSES_DRIVERS: readonly Driver[] = OPENAI_SDKS.map(([sdk, { APIError }, connect]) => ({
  sdk,
  packageName: PACKAGES[sdk],
  format: 'responses',
  open: (opening, gatewayUrl) => new ResponsesTalk(opening, gatewayUrl, connect),
  codeOf: (error) => (error instanceof APIError ? (error.code ?? null) : null),
}))

class ResponsesTalk implements Talk {
  readonly #opening: Opening
  readonly #baseUrl: string
  readonly #connect: (options: ClientOptions) => OpenAI
  readonly #items: Item[]

  constructor(opening: Opening, gatewayUrl: string, connect: (options: ClientOptions) => OpenAI) {
    this.#opening = opening
    this.#baseUrl = `${gatewayUrl}/v1`
    this.#connect = connect
    const content = [{ type: 'input_text' as const, text: opening.text }, ...images(opening)]
    this.#items = [{ role: 'user', content }]
  }

  async ask(asking: Asking): Promise<SdkReply> {
    const client = this.#connect({ apiKey: asking.key, baseURL: this.#baseUrl, maxRetries: 0 })
    const request: Request = { ...writeOpening(this.#opening), input: [...this.#items] }
    const response =
      asking.mode === 'streamed'
        ? await stream(client, request, asking)
        : await client.responses.create(request, { signal: asking.signal })
    // What came out goes in again; the types of the client know of outputs that are no inputs.
    this.#items.push(...(response.output as unknown as Item[]))
    return readResponse(response)
  }

  say(text: string): void {
    this.#items.push({ role: 'user', content: text })
  }

  answer(results: readonly ToolResult[]): void {
    for (const { id, text, image } of results) {
      const output = image === undefined ? text : [{ type: 'input_text' as const, text }, writeImage(image)]
      this.#items.push({ type: 'function_call_output', call_id: id, output })
    }
  }
}

function images(opening: Opening) {
  return (opening.images ?? []).map(writeImage)
}

function writeImage(image: InputImage) {
  return { type: 'input_image' as const, image_url: dataUrl(image), detail: 'auto' as const }
}

function writeOpening(opening: Opening): Omit<Request, 'input'> {
  const { tools, schema, maxTokens } = opening
  return {
    model: opening.model,
    store: false,
    ...(tools && { tools: tools.map(writeTool) }),
    ...(opening.thinks && {
      reasoning: { effort: 'medium', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    }),
    ...(schema && { text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } } }),
    ...(maxTokens && { max_output_tokens: maxTokens }),
  }
}

function writeTool({ name, description, schema }: NonNullable<Opening['tools']>[number]) {
  return { type: 'function' as const, name, description, parameters: { ...schema }, strict: false }
}

async function stream(client: OpenAI, request: Request, { signal, onText }: Asking): Promise<Response> {
  const reading = client.responses.stream({ ...request, stream: true }, { signal })
  if (onText) reading.on('response.output_text.delta', onText)
  return reading.finalResponse()
}

function readResponse(response: Response): SdkReply {
  const { output, usage } = response
  const calls = output.filter((item) => item.type === 'function_call')
  const refusal = refusalIn(output)
  return {
    text: response.output_text,
    thoughts: output.flatMap(thoughtsIn).join(''),
    calls: calls.map((call) => ({
      id: call.call_id,
      name: call.name,
      input: JSON.parse(call.arguments),
    })),
    finish: refusal === null ? readStatus(response, calls.length > 0) : 'declined',
    refusal,
    usage: {
      prompt: usage?.input_tokens ?? 0,
      cached: usage?.input_tokens_details.cached_tokens ?? 0,
      output: usage?.output_tokens ?? 0,
      reasoning: usage?.output_tokens_details.reasoning_tokens ?? 0,
    },
  }
}

function thoughtsIn(item: OutputItem): readonly string[] {
  return item.type === 'reasoning' ? item.summary.map(({ text }) => text) : []
}

function refusalIn(output: readonly OutputItem[]): string | null {
  const content = output.flatMap((item) => (item.type === 'message' ? item.content : []))
  return content.find((part) => part.type === 'refusal')?.refusal ?? null
}

function readStatus({ status, incomplete_details }: Response, hasCalls: boolean): SdkReply['finish'] {
  if (status === 'completed') return hasCalls ? 'tool-call' : 'stop'
  if (status !== 'incomplete') return 'unknown'
  return incomplete_details?.reason === 'content_filter' ? 'declined' : 'length'
}
