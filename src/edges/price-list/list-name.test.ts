import { describe, expect, test } from 'bun:test'
import { findProvider } from '@pydantic/genai-prices'
import type { SupplierTypeName } from '../../vocabulary/supply.ts'
import { priceList } from './index.ts'
import { listNameOf } from './list-name.ts'

const NOW_MS = Date.parse('2026-11-17T00:00:00Z')

function listedAs(type: SupplierTypeName, upstreamModel: string, baseUrl = 'https://models.example/v1') {
  return priceList.find({ supplier: { type, baseUrl }, upstreamModel, nowMs: NOW_MS })?.listedAs ?? null
}

describe('a model is found', () => {
  const FOUND: [type: SupplierTypeName, model: string, listedAs: string][] = [
    ['openai', 'gpt-5', 'openai:gpt-5'],
    ['openai', 'gpt-5-2025-08-07', 'openai:gpt-5'],
    ['anthropic', 'claude-sonnet-4-5-20250929', 'anthropic:claude-sonnet-4-5'],
    ['google', 'models/gemini-3.8-flash', 'google:gemini-3.8-flash'],
    ['vertex', 'claude-opus-4-8@20260101', 'google:claude-opus-4-8'],
    ['vertex', 'gemini-3.1-pro-preview', 'google:gemini-3.1-pro-preview'],
    ['azure-openai', 'gpt-5', 'azure:gpt-5'],
    ['bedrock', 'global.anthropic.claude-opus-5', 'aws:global.anthropic.claude-opus-5'],
    [
      'bedrock',
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-8-v1:0',
      'aws:regional.anthropic.claude-opus-4-8-v1:0',
    ],
  ]
  for (const [type, model, name] of FOUND) {
    test(`${model} of ${type}`, () => expect(listedAs(type, model)).toBe(name))
  }

  const BY_ADDRESS: [baseUrl: string, model: string, listedAs: string][] = [
    ['https://openrouter.ai/api/v1', 'openai/gpt-5.5', 'openrouter:openai/gpt-5.5'],
    [
      'https://api.together.xyz/v1',
      'meta-llama/Llama-3.3-70B-Instruct-Turbo',
      'together:meta-llama/Llama-3.3-70B-Instruct-Turbo',
    ],
    ['https://api.groq.com/openai/v1', 'openai/gpt-oss-120b', 'groq:openai/gpt-oss-120b'],
    ['https://api.x.ai/v1', 'grok-4.6', 'x-ai:grok-4.6'],
    ['https://api.mistral.ai/v1', 'mistral-large-2512', 'mistral:mistral-large-2512'],
    ['https://api.deepseek.com', 'deepseek-v4-pro', 'deepseek:deepseek-v4-pro'],
  ]
  for (const [baseUrl, model, name] of BY_ADDRESS) {
    test(`${model} at ${baseUrl}`, () => expect(listedAs('openai-compatible', model, baseUrl)).toBe(name))
  }
})

describe('a model is missing', () => {
  test('at an address that the list does not know', () =>
    expect(listedAs('openai-compatible', 'gpt-5')).toBeNull())

  test('of the sandbox, whatever it is called', () => expect(listedAs('sandbox', 'gpt-5')).toBeNull())

  test('under a name that nobody has', () => {
    expect(listedAs('openai', 'no-such-model')).toBeNull()
    expect(listedAs('azure-openai', 'our-deployment')).toBeNull()
  })

  test('when only an earlier version of it is listed', () => {
    expect(listedAs('anthropic', 'claude-sonnet-5')).toBe('anthropic:claude-sonnet-5')
    expect(listedAs('anthropic', 'claude-sonnet-5-5')).toBeNull()
    expect(listedAs('anthropic', 'claude-sonnet-5-5-20261001')).toBeNull()
    expect(listedAs('anthropic', 'claude-sonnet-5-20260901')).toBe('anthropic:claude-sonnet-5')
    expect(listedAs('bedrock', 'us.anthropic.claude-sonnet-5-5')).toBeNull()
  })

  test('when it is not priced by tokens', () => expect(listedAs('openai', 'whisper-1')).toBeNull())
})

test('every provider that is looked up by type is in the list', () => {
  const types: SupplierTypeName[] = ['openai', 'anthropic', 'google', 'azure-openai', 'bedrock', 'vertex']
  for (const type of types) {
    const name = listNameOf({ supplier: { type, baseUrl: 'https://a.example' }, upstreamModel: 'm' })
    expect(findProvider({ providerId: name?.providerId ?? '' })?.id).toBe(name?.providerId as string)
  }
})
