import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { tokenCounting } from './read-request.ts'

const contents = [{ parts: [{ text: '12345678' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }]

function read(body: unknown, rest = 'vendor/m:countTokens') {
  return tokenCounting.read(body, JSON.stringify(body), { rest, query: new URLSearchParams() })
}

describe('4.10 a count', () => {
  test('of contents', () => {
    const count = read({ contents })
    expect(count.facts).toEqual({ model: 'vendor/m', promptCharacters: 8, mediaParts: 1 })
    expect(count.encode(1602)).toEqual({
      totalTokens: 1602,
      cachedContentTokenCount: 0,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 2 },
        { modality: 'IMAGE', tokenCount: 1600 },
      ],
      cacheTokensDetails: [],
    })
  })

  test('of a whole request includes instructions and tools', () => {
    const tools = [{ functionDeclarations: [{ name: 'f' }] }]
    const request = {
      model: 'models/other',
      contents,
      system_instruction: { parts: [{ text: 'brief' }] },
      tools,
    }
    for (const name of ['generateContentRequest', 'generate_content_request']) {
      const { facts } = read({ [name]: request })
      expect(facts).toEqual({
        model: 'vendor/m',
        promptCharacters: 8 + 5 + JSON.stringify(tools).length,
        mediaParts: 1,
      })
    }
  })

  test('requires exactly one of contents and generateContentRequest', () => {
    for (const body of [{}, { contents, generateContentRequest: { contents } }, { contents: null }])
      expect(() => read(body)).toThrow('exactly one of contents and generateContentRequest')
    expect(() => read({ generateContentRequest: {} })).toThrow('generateContentRequest.contents is required')
    const pdf = { parts: [{ inlineData: { mimeType: 'application/pdf', data: '' } }] }
    expect(() => read({ generateContentRequest: { contents: [pdf] } })).toThrow(
      'generateContentRequest.contents[0].parts[0].inlineData.mimeType',
    )
  })

  test('accepts only the countTokens method', () => {
    expect(() => read({ contents }, 'm:generateContent')).toThrow(GatewayError)
  })

  test("decodes a supplier's count", () => {
    expect(tokenCounting.asksSupplier).toBe(false)
    expect(tokenCounting.decode({ totalTokens: 7 })).toBe(7)
    for (const body of [null, {}, { totalTokens: -1 }, { totalTokens: '7' }])
      expect(tokenCounting.decode(body)).toBeNull()
  })
})
