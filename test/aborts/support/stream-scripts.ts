import type { TextFormat } from '../../conformance/talk.ts'

/** How a supplier of a format streams. Usage is `REPORTED_PROMPT`, and output as given. */
export interface StreamScript {
  /** Before any output. */
  readonly opening: readonly string[]
  text(text: string): string
  /** The last event before the end that tells usage; null when the format tells it only at the end. */
  usage(output: number): string | null
  end(output: number): string
}

export const REPORTED_PROMPT = 1_500

const frame = (data: Readonly<Record<string, unknown>>) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const plain = (data: object) => `data: ${JSON.stringify(data)}\n\n`

function chunk(delta: object, more: object = {}): string {
  return plain({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: null }],
    ...more,
  })
}

function chatUsage(completion_tokens: number): object {
  const prompt_tokens = REPORTED_PROMPT
  return { usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens } }
}

export function messageStart(usage: object): string {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage }
  return frame({ type: 'message_start', message })
}

const BLOCK_START = frame({
  type: 'content_block_start',
  index: 0,
  content_block: { type: 'text', text: '' },
})

function messageDelta(output_tokens: number): string {
  const delta = { stop_reason: 'end_turn', stop_sequence: null }
  return frame({ type: 'message_delta', delta, usage: { input_tokens: REPORTED_PROMPT, output_tokens } })
}

const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] }

function responseEvent(type: string, fields: object): string {
  return frame({ type, sequence_number: 0, ...fields })
}

function generated(parts: readonly object[], more: object = {}): string {
  return plain({ candidates: [{ content: { role: 'model', parts }, index: 0 }], ...more })
}

function usageMetadata(candidatesTokenCount: number): object {
  const promptTokenCount = REPORTED_PROMPT
  return { promptTokenCount, candidatesTokenCount, totalTokenCount: promptTokenCount + candidatesTokenCount }
}

export const SCRIPTS: Readonly<Record<TextFormat, StreamScript>> = {
  'chat-completion': {
    opening: [],
    text: (content) => chunk({ content }),
    usage: (output) => chunk({ content: '.' }, chatUsage(output)),
    end: (output) =>
      chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...chatUsage(output) }) +
      'data: [DONE]\n\n',
  },
  responses: {
    opening: [responseEvent('response.created', { response: { ...response, status: 'in_progress' } })],
    text: (delta) =>
      responseEvent('response.output_text.delta', {
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta,
      }),
    usage: () => null,
    end: (output_tokens) =>
      responseEvent('response.completed', {
        response: {
          ...response,
          status: 'completed',
          usage: {
            input_tokens: REPORTED_PROMPT,
            output_tokens,
            total_tokens: REPORTED_PROMPT + output_tokens,
          },
        },
      }),
  },
  messages: {
    opening: [messageStart({}), BLOCK_START],
    text: (text) => frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    usage: messageDelta,
    end: (output) => messageDelta(output) + frame({ type: 'message_stop' }),
  },
  'content-generation': {
    opening: [],
    text: (text) => generated([{ text }]),
    usage: (output) => generated([{ text: '.' }], { usageMetadata: usageMetadata(output) }),
    end: (output) =>
      plain({
        candidates: [{ content: { role: 'model', parts: [{ text: '.' }] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: usageMetadata(output),
      }),
  },
}
