import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TextFormat } from './suppliers-by-format.ts'

/**
 * A request as a real client sent it. Keys, ids, dates and paths were replaced, and long words of prompts and tool
 * descriptions cut short; every field is still there.
 */
export interface Recording {
  readonly client: string
  readonly number: number
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
  /** A body that is not JSON. */
  readonly bodyBase64?: string
}

const RECORDED_KEY = 'sk-recorded'
/** Headers of one connection; a replay writes its own. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
])

/** Those in a folder beside this file; without one, the requests for text and images. */
export function readRecordings(family = ''): readonly Recording[] {
  const folder = join(import.meta.dirname, family)
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  return files.sort().flatMap((file) => {
    const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n')
    return lines.map((line) => ({ client: file.replace('.jsonl', ''), ...JSON.parse(line) }) as Recording)
  })
}

/** Sends a recorded request with this key in the place of the recorded one. */
export function replay(recording: Recording, { url, key }: { url: string; key: string }): Promise<Response> {
  const headers = Object.entries(recording.headers)
    .filter(([name]) => !OF_THE_CONNECTION.has(name))
    .map(([name, value]): [string, string] => [name, value.replace(RECORDED_KEY, key)])
  const body = bodyOf(recording)
  return fetch(url + recording.url, { method: recording.method, headers, ...(body !== null && { body }) })
}

function bodyOf({ body, bodyBase64 }: Recording): string | Uint8Array<ArrayBuffer> | null {
  if (bodyBase64 !== undefined) return Uint8Array.fromBase64(bodyBase64)
  return body === undefined ? null : JSON.stringify(body)
}

/** What a recorded request is about, read from its address. */
export type Purpose =
  | { readonly type: 'generate' | 'count'; readonly format: TextFormat }
  | { readonly type: 'list-models' | 'image' | 'audio' | 'greeting' }

const PURPOSES: readonly (readonly [address: RegExp, purpose: Purpose])[] = [
  [/^POST \/v1\/chat\/completions/, { type: 'generate', format: 'chat-completion' }],
  [/^POST \/v1\/responses/, { type: 'generate', format: 'responses' }],
  [/^POST \/v1\/messages\/count_tokens/, { type: 'count', format: 'messages' }],
  [/^POST \/v1\/messages/, { type: 'generate', format: 'messages' }],
  [/^POST \/v1beta\/models\/.+:countTokens/, { type: 'count', format: 'content-generation' }],
  [
    /^POST \/v1beta\/models\/.+:(stream)?generateContent/i,
    { type: 'generate', format: 'content-generation' },
  ],
  [/^GET \/v1(beta)?\/models/, { type: 'list-models' }],
  [/^POST \/v1\/images\//, { type: 'image' }],
  [/^POST \/v1\/audio\//, { type: 'audio' }],
  [/^HEAD \/$/, { type: 'greeting' }],
]

export function purposeOf({ method, url }: Recording): Purpose {
  const found = PURPOSES.find(([address]) => address.test(`${method} ${url}`))
  if (found === undefined) throw new Error(`unknown recorded request: ${method} ${url}`)
  return found[1]
}

export function isStreamed({ url, body }: Recording): boolean {
  return url.includes(':streamGenerateContent') || body?.stream === true
}

/** The model it asks for, in the body or in the address; null when it asks for none. */
export function modelOf({ url, body }: Recording): string | null {
  const model = body?.model ?? /^\/v1beta\/models\/([^:]+):/.exec(url)?.[1]
  return typeof model === 'string' ? model : null
}
