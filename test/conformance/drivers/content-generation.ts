import {
  type Content,
  GoogleGenAI as GenAi2,
  ApiError as GenAi2Error,
  type GenerateContentConfig,
  type GenerateContentResponse,
  type Part,
} from '@google/genai'
import { GoogleGenAI as GenAi1 } from 'genai-1'
import {
  type Asking,
  type Driver,
  type InputImage,
  NO_USAGE,
  type Opening,
  type SdkReply,
  type Talk,
  type ToolResult,
} from '../talk.ts'
import { PACKAGES } from './packages.ts'

export interface GenAiOptions {
  readonly apiKey: string
  readonly httpOptions: { readonly baseUrl: string; readonly apiVersion?: string }
}

export const GENAI_SDKS = [
  ['genai 2', (options: GenAiOptions) => new GenAi2(options)],
  // What differs between the two versions are types this project's tests do not touch.
  ['genai 1', (options: GenAiOptions) => new GenAi1(options) as unknown as GenAi2],
] as const

export const GENERATION_DRIVERS: readonly Driver[] = GENAI_SDKS.map(([sdk, connect]) => ({
  sdk,
  packageName: PACKAGES[sdk],
  format: 'content-generation',
  open: (opening, gatewayUrl) => new GenerationTalk(opening, gatewayUrl, connect),
  codeOf: readCode,
}))

/** The client gives its users the error's JSON in its message, in mid-stream with some words before it. */
function readCode(error: unknown): string | null {
  if (!(error instanceof GenAi2Error)) return null
  const { type }: { type?: unknown } = JSON.parse(error.message.slice(error.message.indexOf('{'))).error
  return typeof type === 'string' ? type : null
}

class GenerationTalk implements Talk {
  readonly #opening: Opening
  readonly #baseUrl: string
  readonly #connect: (options: GenAiOptions) => GenAi2
  #history: Content[] = []
  #message: Part[]

  constructor(opening: Opening, gatewayUrl: string, connect: (options: GenAiOptions) => GenAi2) {
    this.#opening = opening
    this.#baseUrl = gatewayUrl
    this.#connect = connect
    this.#message = [{ text: opening.text }, ...(opening.images ?? []).map(writeImage)]
  }

  async ask({ key, mode, signal, onText }: Asking): Promise<SdkReply> {
    const client = this.#connect({ apiKey: key, httpOptions: { baseUrl: this.#baseUrl } })
    const config = { ...writeOpening(this.#opening), ...(signal && { abortSignal: signal }) }
    const chat = client.chats.create({ model: this.#opening.model, config, history: this.#history })
    const message = this.#message
    const chunks: GenerateContentResponse[] = []
    if (mode === 'whole') chunks.push(await chat.sendMessage({ message }))
    else
      for await (const chunk of await chat.sendMessageStream({ message })) {
        chunks.push(chunk)
        if (textIn(chunk) !== '') onText?.()
      }
    this.#history = chat.getHistory()
    return readChunks(chunks)
  }

  say(text: string): void {
    this.#message = [{ text }]
  }

  answer(results: readonly ToolResult[]): void {
    this.#message = results.map(({ id, name, text, image }) => ({
      functionResponse: {
        id,
        name,
        response: { output: text },
        ...(image && { parts: [writeImage(image)] }),
      },
    }))
  }
}

function writeImage(image: InputImage) {
  return image.type === 'link'
    ? { fileData: { fileUri: image.url, mimeType: 'image/png' } }
    : { inlineData: { data: image.data, mimeType: image.mediaType } }
}

function writeOpening(opening: Opening): GenerateContentConfig {
  const { tools, schema, stop, maxTokens } = opening
  return {
    ...(tools && {
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, schema: parametersJsonSchema }) => ({
            name,
            description,
            parametersJsonSchema,
          })),
        },
      ],
    }),
    ...(opening.thinks && { thinkingConfig: { includeThoughts: true } }),
    ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
    ...(stop && { stopSequences: [...stop] }),
    ...(maxTokens && { maxOutputTokens: maxTokens }),
  }
}

const FINISHES: Readonly<Record<string, SdkReply['finish']>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'declined',
}

function readChunks(chunks: readonly GenerateContentResponse[]): SdkReply {
  const parts = chunks.flatMap(partsOf)
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
  const reason = chunks.findLast((chunk) => chunk.candidates?.[0]?.finishReason)?.candidates?.[0]
    ?.finishReason
  const finish = FINISHES[reason ?? ''] ?? 'unknown'
  return {
    text: chunks.map(textIn).join(''),
    thoughts: parts.flatMap(({ text, thought }) => (thought && text ? [text] : [])).join(''),
    calls: calls.map(({ id, name, args }) => ({ id: id ?? '', name: name ?? '', input: args ?? {} })),
    // This format tells calls from words by the parts alone.
    finish: finish === 'stop' && calls.length > 0 ? 'tool-call' : finish,
    refusal: null,
    usage: readUsage(chunks),
  }
}

function readUsage(chunks: readonly GenerateContentResponse[]): SdkReply['usage'] {
  const usage = chunks.findLast(({ usageMetadata }) => usageMetadata)?.usageMetadata
  if (usage === undefined) return NO_USAGE
  const reasoning = usage.thoughtsTokenCount ?? 0
  return {
    prompt: usage.promptTokenCount ?? 0,
    cached: usage.cachedContentTokenCount ?? 0,
    output: (usage.candidatesTokenCount ?? 0) + reasoning,
    reasoning,
  }
}

function partsOf({ candidates }: GenerateContentResponse): readonly Part[] {
  return candidates?.[0]?.content?.parts ?? []
}

function textIn(chunk: GenerateContentResponse): string {
  return partsOf(chunk)
    .flatMap(({ text, thought }) => (thought ? [] : [text ?? '']))
    .join('')
}
