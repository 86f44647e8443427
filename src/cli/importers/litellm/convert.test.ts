import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { priceList } from '../../../edges/price-list/index.ts'
import { readSupply } from '../../../edges/supply-file/read-supply.ts'
import { BUILT_IN_CATALOG } from '../../../rules/catalog/built-in/built-in-catalog.ts'
import { convert } from './convert.ts'
import { Findings } from './findings.ts'
import { perMillion, readConfig } from './read-config.ts'
import { readKeys } from './read-keys.ts'

const SOURCES = { catalog: BUILT_IN_CATALOG, list: priceList, nowMs: Date.UTC(2026, 10, 1) }

function importing(config: object) {
  const imported = convert(readConfig(stringify(config), 'config.yaml'), SOURCES)
  const variables = Object.fromEntries(
    [...imported.variables.keys()].map((name) => [name, `value-of-${name}`]),
  )
  const text = stringify(imported.supply)
  // What was made must be a valid supply file, whatever it was made from.
  const { document } = readSupply({ text, name: 'supply.yaml', variables })
  const left = imported.findings.all.filter(({ result }) => result === 'left out').map(({ at }) => at)
  return { ...imported, text, document, left }
}

const deployment = (model_name: string, litellm_params: object, model_info: object = {}) => ({
  model_name,
  litellm_params,
  model_info,
})

const OPENAI = { model: 'openai/gpt-4o', api_key: 'os.environ/OPENAI_API_KEY' }

describe('deployments', () => {
  test('of one model become its routes', () => {
    const { document } = importing({
      model_list: [
        deployment('gpt-4o', { ...OPENAI, rpm: 500, tpm: 90_000 }),
        deployment('gpt-4o', {
          model: 'azure/eu-deployment',
          api_base: 'https://my-eu.openai.azure.com/',
          api_key: 'os.environ/AZURE_KEY',
          api_version: '2024-10-21',
          order: 2,
        }),
      ],
    })
    expect(document.models).toHaveLength(1)
    expect(document.models[0]?.routes).toMatchObject([
      { supplierId: 'openai', upstreamModel: 'gpt-4o', rpm: 500, tpm: 90_000, priceSource: 'catalog' },
      { supplierId: 'azure', upstreamModel: 'eu-deployment', priority: 2 },
    ])
    expect(document.suppliers).toMatchObject([
      { type: 'openai', credentials: [{ secret: 'value-of-OPENAI_API_KEY' }] },
      { type: 'azure-openai', options: { api_version: '2024-10-21' } },
    ])
  })

  test('with the same key share a supplier, others do not', () => {
    const { document } = importing({
      model_list: [
        deployment('a', OPENAI),
        deployment('b', OPENAI),
        deployment('a', { ...OPENAI, api_key: 'os.environ/SECOND_KEY' }),
        // A second deployment of a model at the same place, under another name.
        deployment('b', { ...OPENAI, model: 'openai/gpt-4o-mini' }),
      ],
    })
    const routes = document.models.map(({ routes }) => routes.map(({ supplierId }) => supplierId))
    expect(routes).toEqual([
      ['openai', 'openai-2'],
      ['openai', 'openai-3'],
    ])
  })

  test('of servers of one’s own keep their address and their price', () => {
    const { document } = importing({
      model_list: [
        deployment('llama', {
          model: 'openai/llama-3.1-70b',
          api_base: 'http://10.0.0.7:8000/v1',
          input_cost_per_token: 0.00000059,
          output_cost_per_token: 7.9e-7,
        }),
      ],
    })
    expect(document.suppliers).toMatchObject([
      { type: 'openai-compatible', baseUrl: 'http://10.0.0.7:8000/v1', formats: ['chat-completion'] },
    ])
    expect(document.models[0]?.routes[0]).toMatchObject({
      priceSource: 'manual',
      price: { inputNanoPerMillion: 590_000_000n, outputNanoPerMillion: 790_000_000n },
    })
  })

  test('at clouds say where and with what', () => {
    const { document } = importing({
      model_list: [
        deployment('claude', {
          model: 'bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0',
          aws_region_name: 'eu-west-1',
          aws_access_key_id: 'os.environ/AWS_ID',
          aws_secret_access_key: 'os.environ/AWS_SECRET',
        }),
        deployment('gemini', {
          model: 'vertex_ai/gemini-2.5-pro',
          vertex_project: 'p',
          vertex_location: 'europe-west4',
          vertex_credentials: 'os.environ/VERTEX_JSON',
        }),
      ],
    })
    expect(document.suppliers).toMatchObject([
      {
        baseUrl: 'https://bedrock-runtime.eu-west-1.amazonaws.com',
        credentials: [{ secret: 'value-of-AWS_ID:value-of-AWS_SECRET' }],
      },
      { baseUrl: 'https://europe-west4-aiplatform.googleapis.com', options: { project: 'p' } },
    ])
    expect(document.models.map(({ routes }) => routes[0]?.formats)).toEqual([
      ['messages'],
      ['content-generation'],
    ])
  })

  test('of other kinds get their kind', () => {
    const { document } = importing({
      model_list: [
        deployment('embed', { ...OPENAI, model: 'text-embedding-3-small' }, { mode: 'embedding' }),
        deployment('rank', { model: 'cohere/rerank-v3.5' }, { mode: 'rerank' }),
      ],
    })
    expect(document.models.map(({ kinds }) => kinds)).toEqual([['embedding'], ['rerank']])
  })
})

test('a secret in clear is not copied', () => {
  const secret = 'sk-ant-in-clear-0123456789'
  const { text, variables, findings } = importing({
    model_list: [deployment('claude', { model: 'anthropic/claude-sonnet-4-5', api_key: secret })],
  })
  expect(text).not.toContain(secret)
  expect(JSON.stringify(findings.all)).not.toContain(secret)
  expect([...variables]).toEqual([['LITELLM_KEY_1', 'the value of model_list[0].api_key']])
})

test('aliases, fallbacks and wildcards are taken over', () => {
  const { supply } = importing({
    model_list: [
      deployment('gpt-4o', OPENAI),
      deployment('claude', { model: 'anthropic/claude-sonnet-4-5' }),
      deployment('groq/*', { model: 'groq/*' }),
    ],
    router_settings: {
      model_group_alias: { 'gpt-4': 'gpt-4o' },
      fallbacks: [{ 'gpt-4o': ['claude', 'none'] }],
    },
  })
  expect(supply).toMatchObject({
    aliases: [
      { name: 'gpt-4', models: ['gpt-4o'] },
      { name: 'gpt-4o', models: ['gpt-4o', 'claude'] },
    ],
    wildcards: [{ pattern: 'groq/*', supplier: 'groq', upstream_model: '*' }],
  })
})

test('everything that is not taken over is named', () => {
  const { left } = importing({
    model_list: [
      deployment('gpt-4o', { ...OPENAI, weight: 3, mock_response: 'no' }),
      deployment('x', { model: 'nobody/x' }),
      deployment('film', OPENAI, { mode: 'video_generation' }),
      deployment('a*b', OPENAI),
    ],
    router_settings: { routing_strategy: 'least-busy', model_group_alias: { y: 'x' } },
    litellm_settings: { cache: true },
    general_settings: { master_key: 'sk-1234' },
    environment_variables: { A: 'b' },
  })
  expect(left.toSorted()).toEqual([
    'environment_variables',
    'general_settings.master_key',
    'litellm_settings.cache',
    'model_list[0].litellm_params.mock_response',
    'model_list[0].litellm_params.weight',
    'model_list[1]',
    'model_list[2]',
    'model_list[3]',
    'router_settings.model_group_alias.y',
    'router_settings.routing_strategy',
  ])
})

test.each([
  ['model_list: [', 'config.yaml:1:14 is not valid YAML'],
  ['models: []', 'config.yaml has no model_list, so it is not a configuration of a LiteLLM proxy'],
  ['', 'config.yaml has no model_list, so it is not a configuration of a LiteLLM proxy'],
])('%j is refused', (text, message) => {
  expect(() => readConfig(text, 'config.yaml')).toThrow(message)
})

test('a price per token is shifted, not multiplied', () => {
  fc.assert(
    fc.property(fc.nat({ max: 999_999 }), fc.nat({ max: 12 }), (digits, scale) => {
      const perToken = Number(`${digits}e-${scale}`)
      const expected = Number(`${digits}e${6 - scale}`)
      const written = perMillion(perToken)
      expect(written).toMatch(/^\d+(\.\d*[1-9])?$/)
      expect(Number(written)).toBe(expected)
    }),
  )
  expect(perMillion(1.1e-6)).toBe('1.1')
  expect([perMillion(-1), perMillion(null), perMillion('x')]).toEqual([null, null, null])
})

test('keys keep their limits', () => {
  const findings = new Findings()
  const keys = readKeys(
    JSON.stringify({
      keys: [
        {
          key_alias: 'ci',
          models: ['gpt-4o'],
          rpm_limit: 10,
          max_budget: 12.5,
          budget_duration: '30d',
          expires: '2027-01-01T00:00:00Z',
        },
        { key_name: 'sk-...abcd', models: ['all-team-models'], max_budget: 1, budget_duration: '2h' },
        { key_alias: 'gone', blocked: true },
      ],
    }),
    'keys.json',
    findings,
  )
  expect(keys.map(({ settings }) => settings)).toEqual([
    {
      name: 'ci',
      model_allowlist: ['gpt-4o'],
      rpm: 10,
      usage_limit: { period: 'monthly', amount: '12.5' },
      expires_at: '2027-01-01T00:00:00.000Z',
    },
    { name: 'sk-...abcd', usage_limit: { period: 'daily', amount: '1' } },
  ])
  expect(findings.all.map(({ at, result }) => [at, result])).toEqual([
    ['keys[1]', 'changed'],
    ['keys[2]', 'left out'],
  ])
})
