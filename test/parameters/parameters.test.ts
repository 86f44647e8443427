import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TextFormat } from '../conformance/talk.ts'
import { classify, TEXT_FORMATS } from './classify.ts'
import { layOutParameters, nameOf } from './layout.ts'
import { SAMPLES } from './samples.ts'
import { readMembers } from './sdk-members.ts'

interface RequestType {
  readonly file: string
  readonly type: string
  /** Parameters that are the prompt, or of which a supplier never hears. */
  readonly apart: readonly string[]
}

const REQUEST_TYPES: Readonly<Record<TextFormat, readonly RequestType[]>> = {
  'chat-completion': [
    {
      file: 'openai/resources/chat/completions/completions.d.ts',
      type: 'ChatCompletionCreateParamsBase',
      // `store` is the gateway's own state.
      apart: ['model', 'stream', 'stream_options', 'store'],
    },
  ],
  responses: [
    {
      file: 'openai/resources/responses/responses.d.ts',
      type: 'ResponseCreateParamsBase',
      // The second line is the gateway's own state.
      apart: [
        ...['model', 'input', 'stream', 'stream_options'],
        ...['background', 'conversation', 'previous_response_id', 'store'],
      ],
    },
  ],
  messages: ['resources/messages/messages.d.ts', 'resources/beta/messages/messages.d.ts'].map((path) => ({
    file: `@anthropic-ai/sdk/${path}`,
    type: 'MessageCreateParamsBase',
    // `betas` is a header; `thread` is state.
    apart: ['model', 'messages', 'stream', 'betas', 'thread'],
  })),
  'content-generation': [
    {
      file: '@google/genai/dist/genai.d.ts',
      type: 'GenerateContentConfig',
      // These are for the client itself.
      apart: ['httpOptions', 'abortSignal', 'automaticFunctionCalling', 'automaticContinuation'],
    },
  ],
}

describe.each(TEXT_FORMATS)('the parameters of %s', (client) => {
  test('are those of the newest official SDK', () => {
    const known = new Set(SAMPLES[client].map(({ name }) => name))
    for (const { file, type, apart } of REQUEST_TYPES[client]) {
      const members = readMembers(file, type)
      expect(members.length).toBeGreaterThan(15)
      expect(members.filter((name) => !known.has(name) && !apart.includes(name))).toEqual([])
    }
  })

  test('reach a supplier of the same format, unless they name what only its owner has', () => {
    const lost = SAMPLES[client].filter((sample) => classify(client, client, sample).fate !== 'passed')
    expect(lost.map(nameOf)).toEqual(client === 'responses' ? ['`prompt`'] : [])
  })

  test('are translated, done by the gateway, dropped by name or refused by name elsewhere', () => {
    const untold = TEXT_FORMATS.filter((supplier) => supplier !== client).flatMap((supplier) =>
      SAMPLES[client].flatMap((sample) => {
        const { fate, told } = classify(client, supplier, sample)
        const isUntold = fate === 'silent' || (fate === 'refused' && told.includes(''))
        return isUntold ? [`${nameOf(sample)} to ${supplier}`] : []
      }),
    )
    // A model that thinks as it likes does so without being told.
    expect(untold).toEqual(client === 'messages' ? ['`thinking` to chat-completion'] : [])
  })
})

test('the table in the documentation says the same', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/clients/parameters.md'), 'utf8')
  expect(page).toContain(`<!-- parameters -->\n${layOutParameters()}<!-- /parameters -->`)
})
