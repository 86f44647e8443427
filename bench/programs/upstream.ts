/**
 * The scripted supplier behind every target: it answers at once and costs as little as it can.
 * The prompt says what to send (`chunks=100 gap=4`), because only the prompt passes every proxy unchanged.
 */

const CREATED = 1_700_000_000
const USAGE = { prompt_tokens: 180, completion_tokens: 190, total_tokens: 370 }
const WORDS = 'The quick brown fox jumps over the lazy dog while the gateway counts what it costs. '

const WHOLE_REPLY = JSON.stringify({
  id: 'chatcmpl-bench0000000000000000000000',
  object: 'chat.completion',
  created: CREATED,
  model: 'bench-model',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: WORDS.repeat(8) },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: USAGE,
  system_fingerprint: 'fp_bench',
})

const encoder = new TextEncoder()

function encodeChunk(choices: readonly unknown[], usage?: unknown): Uint8Array {
  const chunk = {
    id: 'chatcmpl-bench0000000000000000000000',
    object: 'chat.completion.chunk',
    created: CREATED,
    model: 'bench-model',
    system_fingerprint: 'fp_bench',
    choices,
    ...(usage === undefined ? {} : { usage }),
  }
  return encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)
}

const FIRST = encodeChunk([
  { index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null },
])
const WORD = encodeChunk([{ index: 0, delta: { content: ' gateway' }, logprobs: null, finish_reason: null }])
const FINISH = encodeChunk([{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }])
const USAGE_CHUNK = encodeChunk([], USAGE)
const DONE = encoder.encode('data: [DONE]\n\n')

// Everything after the last word leaves in one piece, as suppliers do it.
const END = Buffer.concat([FINISH, DONE])
const END_WITH_USAGE = Buffer.concat([FINISH, USAGE_CHUNK, DONE])

type JsonFields = Readonly<Record<string, unknown>>

function encodeMessagesEvent(event: { readonly type: string } & JsonFields): Uint8Array {
  return encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

const MESSAGES_FIRST = Buffer.concat(
  [
    {
      type: 'message_start',
      message: {
        id: 'msg_bench000000000000000000',
        type: 'message',
        role: 'assistant',
        model: 'bench-model',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 180, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ].map(encodeMessagesEvent),
)
const MESSAGES_WORD = encodeMessagesEvent({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: ' gateway' },
})
const MESSAGES_END = Buffer.concat(
  [
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 190 },
    },
    { type: 'message_stop' },
  ].map(encodeMessagesEvent),
)

/** The pieces of a stream in one of the formats. */
interface Pieces {
  readonly first: Uint8Array
  readonly word: Uint8Array
  readonly end: Uint8Array
}

const CHAT: Pieces = { first: FIRST, word: WORD, end: END }
const CHAT_WITH_USAGE: Pieces = { ...CHAT, end: END_WITH_USAGE }
const MESSAGES: Pieces = { first: MESSAGES_FIRST, word: MESSAGES_WORD, end: MESSAGES_END }

interface Script {
  readonly chunks: number
  readonly gapMs: number
  readonly pieces: Pieces
}

/** The end of the prompt says what to do, so that a large one need not be searched. */
const SCRIPT_CHARACTERS = 400

const WHOLE_MESSAGES_REPLY = JSON.stringify({
  id: 'msg_bench000000000000000000',
  type: 'message',
  role: 'assistant',
  model: 'bench-model',
  content: [{ type: 'text', text: WORDS.repeat(8) }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 180, output_tokens: 190 },
})

/** `wait=<ms>` holds a whole reply back, so that the target holds its request. */
async function replyWhole(path: string, body: string): Promise<Response> {
  const [, waitMs] = /wait=(\d+)/.exec(body.slice(-SCRIPT_CHARACTERS)) ?? []
  if (waitMs !== undefined) await Bun.sleep(Number(waitMs))
  const reply = path.endsWith('/messages') ? WHOLE_MESSAGES_REPLY : WHOLE_REPLY
  return new Response(reply, { headers: { 'content-type': 'application/json' } })
}

function readScript(path: string, body: string): Script | null {
  if (!/"stream":\s*true/.test(body)) return null
  const [, chunks = '10', gapMs = '1'] = /chunks=(\d+) gap=(\d+)/.exec(body) ?? []
  return { chunks: Number(chunks), gapMs: Number(gapMs), pieces: piecesFor(path, body) }
}

function piecesFor(path: string, body: string): Pieces {
  if (path.endsWith('/messages')) return MESSAGES
  return /"include_usage":\s*true/.test(body) ? CHAT_WITH_USAGE : CHAT
}

async function* playScript({ chunks, gapMs, pieces }: Script): AsyncGenerator<Uint8Array> {
  yield pieces.first
  for (let sent = 1; sent < chunks; sent++) {
    // Without a pause the socket would put several chunks into one packet and the target would copy them as one.
    await Bun.sleep(gapMs)
    yield pieces.word
  }
  yield pieces.end
}

export const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const path = new URL(request.url).pathname
    const body = await request.text()
    const script = readScript(path, body)
    if (script === null) return replyWhole(path, body)
    return new Response(playScript(script), { headers: { 'content-type': 'text/event-stream' } })
  },
})

console.log(`listening ${server.port}`)
