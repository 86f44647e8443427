import { describe, expect, test } from 'bun:test'
import { DEFAULT_TRAITS, fitTraits } from '../../vocabulary/runtime/traits.ts'
import { aSupplier } from '../../vocabulary/testing/specimens.ts'
import { quirksOf } from '../index.ts'
import { VENDORS, vendorOf } from './vendors.ts'

const vendorAt = (baseUrl: string, options: Readonly<Record<string, string>> = {}) =>
  vendorOf({ baseUrl, options })?.name ?? null

describe('who a supplier is', () => {
  test.each([
    ['https://api.deepseek.com/v1', 'deepseek'],
    ['https://API.MISTRAL.ai/v1/', 'mistral'],
    ['https://us-east-1.api.x.ai/v1', 'xai'],
    ['http://10.0.0.7:11434/v1', 'ollama'],
    ['https://generativelanguage.googleapis.com/v1beta/openai', 'gemini'],
    ['https://api.deepseek.com.example/v1', null],
    ['https://example.com/api.deepseek.com', null],
    ['http://127.0.0.1:8000/v1', null],
    ['no address', null],
  ])('%s: %p', (baseUrl, name) => expect(vendorAt(baseUrl)).toBe(name))

  test('is what its operator says, whatever its address', () => {
    expect(vendorAt('http://127.0.0.1:8000/v1', { vendor: 'vllm' })).toBe('vllm')
    expect(vendorAt('http://127.0.0.1:8000/v1', { vendor: 'Kimi' })).toBe('moonshot')
    expect(vendorAt('https://api.deepseek.com/v1', { vendor: 'plain' })).toBe('plain')
    expect(vendorAt('https://api.deepseek.com/v1', { vendor: 'unknown' })).toBeNull()
  })
})

describe('quirks', () => {
  test('are none for an unknown host', () => {
    const supplier = aSupplier({ type: 'openai-compatible', baseUrl: 'https://new.example/v1' })
    expect(quirksOf(supplier, 'chat-completion')).toBeNull()
    expect(quirksOf(supplier, 'chat-completion')).toBeNull()
  })

  test('are a compatible supplier’s, and of the format they are about', () => {
    const baseUrl = 'https://api.groq.com/openai/v1'
    const groq = aSupplier({ type: 'openai-compatible', baseUrl })
    expect(quirksOf(groq, 'chat-completion')?.refuses).toEqual(['logit_bias'])
    expect(quirksOf(groq, 'responses')).toBeNull()
    expect(quirksOf(aSupplier({ type: 'openai', baseUrl }), 'chat-completion')).toBeNull()
    expect(
      quirksOf(
        aSupplier({ type: 'openai-compatible', baseUrl, options: { vendor: 'plain' } }),
        'chat-completion',
      ),
    ).toBeNull()
  })

  test('never take away what is asked for', () => {
    const matter = [
      'model',
      'messages',
      'tools',
      'tool_choice',
      'stream',
      'n',
      'stop',
      'logprobs',
      'response_format',
      'max_tokens',
      'max_completion_tokens',
    ]
    for (const { quirks } of VENDORS) {
      const removed = Object.values(quirks).flatMap(({ refuses, ignores }) => [...refuses, ...ignores])
      expect(removed.filter((name) => matter.includes(name))).toEqual([])
    }
  })

  test('name traits by values they can have', () => {
    for (const { quirks } of VENDORS) {
      for (const { traits } of Object.values(quirks))
        expect(fitTraits(DEFAULT_TRAITS, traits)).toEqual({ ...DEFAULT_TRAITS, ...traits })
    }
  })
})
