import { expect, test } from 'bun:test'
import { GatewayError } from '../../src/errors/gateway-error.ts'
import { chatCompletion } from '../../src/protocols/chat-completion/index.ts'
import { PROTOCOLS } from '../../src/protocols/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import { createImageStore } from '../../src/sandbox/images/image-store.ts'
import { createPromptCache } from '../../src/sandbox/performance/prompt-cache.ts'
import { StopScanner } from '../../src/serve/families/text/translate/stop-scanner.ts'
import { ThinkingMemory } from '../../src/serve/families/text/translate/thinking-memory.ts'
import { parseJson } from '../../src/wire/parse-json.ts'
import { SseFramer } from '../../src/wire/sse-events.ts'
import { PLAIN_CONVERSATION } from '../support/plain-conversation.ts'
import { supplyContext } from '../support/translation-contexts.ts'
import { list } from './conversations.ts'
import { expectLinear, type Work } from './measure.ts'

const ITEMS = 2_000

const WORKS: readonly Work[] = [
  {
    name: 'an event of megabytes in small pieces',
    prepare: (items) => {
      const piece = new TextEncoder().encode('x'.repeat(100))
      return () => {
        const framer = new SseFramer()
        for (let sent = 0; sent < items * 10; sent += 1) framer.push(piece)
        return framer.finish()
      }
    },
  },
  {
    name: 'the input of a call in small pieces, with another call open',
    prepare: (items) => {
      const chunk = (index: number, text: string, name?: string) =>
        `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { tool_calls: [{ index, function: { name, arguments: text } }] } }] })}\n\n`
      const frames = [chunk(0, '{"a":[', 'f'), chunk(1, '{', 'g'), ...list(items, () => chunk(0, '{"b":1},'))]
      const pieces = frames.map((frame) => new TextEncoder().encode(frame))
      return () => {
        const decoder = chatCompletion.supplier.openDecoder(supplyContext())
        for (const piece of pieces) decoder.push(piece)
      }
    },
  },
  {
    name: 'a long stop sequence that almost comes',
    prepare: (items) => {
      const deltas = list(items * 4, () => ({ type: 'part-delta', choice: 0, text: 'aa' }) as const)
      const part = { type: 'text', text: '', cache: null, citations: [], proof: null } as const
      return () => {
        const scanner = new StopScanner({ sequences: [`${'a'.repeat(items)}b`, 'c'], streamedChoices: 1 })
        scanner.push({ type: 'part-start', choice: 0, part })
        for (const delta of deltas) scanner.push(delta)
      }
    },
  },
  {
    name: 'thoughts to be remembered, more than there is room for',
    prepare: (items) => () => {
      const bounds = { keptMs: 1, mostThoughts: items, mostCharacters: 1e9 }
      const watcher = new ThinkingMemory({ nowMs: () => 0 }, { bounds }).watch('a', 'every')
      for (let at = 0; at < items * 4; at += 1) {
        const proof = {
          origin: 'o',
          model: 'm',
          route: 'r',
          on: 'tool-call',
          value: 'v',
          itemId: null,
        } as const
        const call = {
          type: 'tool-call',
          id: `c${at}`,
          name: 'f',
          kind: 'function',
          input: '',
          namespace: null,
          proof,
        } as const
        watcher.push({ type: 'part-start', choice: 0, part: call })
        watcher.push({ type: 'part-end', choice: 0 })
      }
    },
  },
  {
    name: 'the address of an end user that is none',
    prepare: (items) => () => {
      const endUser = `a@${'.'.repeat(items * 4)}@`
      return messages.supplier.encodeRequest({ ...PLAIN_CONVERSATION, endUser }, supplyContext())
    },
  },
  {
    name: 'the address of an image that is none',
    prepare: (items) => {
      const image = { type: 'image', source: { type: 'url', url: `data:${'a'.repeat(items * 4)}` } }
      const body = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: [image] }] }
      const address = { rest: '', query: new URLSearchParams() }
      const request = messages.readRequest(body, JSON.stringify(body), address)
      return () => request.client.decode()
    },
  },
  {
    name: 'prompts that are remembered by the simulator',
    prepare: (items) => {
      const prompt = list(items * 40, (at) => `word ${at} `).join('')
      return () => createPromptCache().read('m', prompt.repeat(4))
    },
  },
  {
    name: 'images that the simulator keeps, more than there is room for',
    prepare: (items) => {
      const png = new Uint8Array(Math.floor((64 * 1024 * 1024) / (items * 4)))
      return () => {
        let names = 0
        const store = createImageStore({ nowMs: () => 0, inventName: () => String(names++) })
        for (let kept = 0; kept < items * 16; kept += 1) store.keep(png)
      }
    },
  },
]

test.each(WORKS.map((work) => [work.name, work] as const))('takes %s in linear time', (_, work) => {
  expectLinear([work], ITEMS)
})

test('refuses what nests deeper than the stack, in every format', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const groups = `${'{"type":"namespace","name":"g","tools":['.repeat(24_000)}${']}'.repeat(24_000)}`
  for (const protocol of PROTOCOLS) {
    for (const member of [`"unknown":${deep}`, `"tools":[${groups}]`]) {
      const text = `{"model":"m","max_tokens":5,"input":"hi","messages":[{"role":"user","content":"hi"}],"contents":[{"parts":[{"text":"hi"}]}],${member}}`
      const address = { rest: 'm:generateContent', query: new URLSearchParams() }
      expect(() => protocol.readRequest(parseJson(text), text, address)).toThrow(GatewayError)
    }
  }
})
