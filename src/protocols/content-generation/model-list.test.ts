import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../errors/gateway-error.ts'
import { encodeModel, encodeModelList, isListed, type ListedModel } from './model-list.ts'

const ALL = { pageSize: null, pageToken: null }

function model(id: string, kinds: ListedModel['kinds'] = ['text']): ListedModel {
  const limits = { inputTokenLimit: 1000, outputTokenLimit: null }
  return { id, displayName: `Model ${id}`, description: 'd', ...limits, kinds }
}

function models(count: number): ListedModel[] {
  return Array.from({ length: count }, (_, index) => model(`m${String(index).padStart(4, '0')}`)).reverse()
}

test('2.3 a model entry', () => {
  expect(encodeModel(model('vendor/m'))).toEqual({
    name: 'models/vendor/m',
    version: '001',
    displayName: 'Model vendor/m',
    description: 'd',
    inputTokenLimit: 1000,
    supportedGenerationMethods: ['generateContent', 'countTokens', 'streamGenerateContent'],
  })
})

test('a model is listed with the methods that it can be called with', () => {
  const methodsOf = (...kinds: ListedModel['kinds']) =>
    encodeModel(model('m', kinds)).supportedGenerationMethods
  expect(methodsOf('embedding')).toEqual(['embedContent', 'batchEmbedContents'])
  expect(methodsOf('text', 'image')).toEqual(['generateContent', 'countTokens', 'streamGenerateContent'])
  expect(isListed(model('m', ['embedding']))).toBe(true)
  for (const kind of ['image', 'image-edit', 'rerank', 'moderation', 'transcription', 'speech'] as const) {
    expect(isListed(model('m', [kind]))).toBe(false)
  }
})

describe('4.11 a list', () => {
  test('has 50 models per page by default, sorted', () => {
    const page = encodeModelList(models(51), ALL)
    expect(page.models).toHaveLength(50)
    expect(page.models[0]?.name).toBe('models/m0000')
    expect(encodeModelList(models(50), ALL).nextPageToken).toBeUndefined()
    expect(encodeModelList(models(1001), { ...ALL, pageSize: '1000' }).models).toHaveLength(1000)
  })

  test('can be read page by page', () => {
    const names: string[] = []
    let pageToken: string | null = null
    do {
      const page: ReturnType<typeof encodeModelList> = encodeModelList(models(7), {
        pageSize: '3',
        pageToken,
      })
      names.push(...page.models.map(({ name }) => name))
      pageToken = page.nextPageToken ?? null
    } while (pageToken !== null)
    expect(names).toHaveLength(7)
    expect(new Set(names).size).toBe(7)
  })

  test('continues at the same place when models change', () => {
    const { nextPageToken = '' } = encodeModelList([model('a'), model('b'), model('d')], {
      ...ALL,
      pageSize: '2',
    })
    const rest = encodeModelList([model('a'), model('c'), model('d')], {
      pageSize: '2',
      pageToken: nextPageToken,
    })
    expect(rest.models.map(({ name }) => name)).toEqual(['models/c', 'models/d'])
  })

  test('refuses invalid sizes and tokens', () => {
    for (const pageSize of ['0', '1001', '-1', '2.5', 'all', '1e2'])
      expect(() => encodeModelList([], { ...ALL, pageSize })).toThrow(GatewayError)
    expect(() => encodeModelList([], { ...ALL, pageToken: 'bogus' })).toThrow(GatewayError)
  })
})
