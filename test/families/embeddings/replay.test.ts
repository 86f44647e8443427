import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dimensionsOf, type Vector } from '../../../src/conversation/families/embeddings.ts'
import { type Recording, readRecordings, replay } from '../../captures/recordings.ts'
import { type EmbeddingGateway, MODEL, SUPPLIERS, startEmbeddingGateway } from './suppliers.ts'

const RECORDINGS = readRecordings('embeddings')

let place: EmbeddingGateway
beforeAll(async () => {
  place = await startEmbeddingGateway()
})
afterAll(() => place.stop())

/** The recorded request for the model of the tests. */
function forModel({ url, body = {}, ...recording }: Recording): Recording {
  return {
    ...recording,
    url: url.replace(/models\/[^:]+:/, `models/${MODEL}:`),
    body: 'input' in body ? { ...body, model: MODEL } : body,
  }
}

interface Asked {
  readonly input?: unknown
  readonly dimensions?: number
  readonly requests?: readonly { readonly outputDimensionality?: number }[]
}
const askedIn = ({ body = {} }: Recording): Asked => body
const hasTokens = (recording: Recording) => JSON.stringify(askedIn(recording).input ?? '').includes('[[')

function countOf(recording: Recording): number {
  const { input, requests } = askedIn(recording)
  return requests?.length ?? (Array.isArray(input) ? input.length : 1)
}

interface Reply {
  readonly data?: readonly { readonly embedding: Vector }[]
  readonly embeddings?: readonly { readonly values: Vector }[]
  readonly embedding?: { readonly values: Vector }
}

function vectorsIn({ data, embeddings, embedding }: Reply): readonly Vector[] {
  if (data !== undefined) return data.map((entry) => entry.embedding)
  return (embeddings ?? (embedding === undefined ? [] : [embedding])).map(({ values }) => values)
}

describe.each([...SUPPLIERS])('to %s', (supplier) => {
  for (const recording of RECORDINGS) {
    test(`${recording.client} ${recording.number}: ${recording.url}`, async () => {
      const { secret: key } = place.keyOf(supplier)
      const response = await replay(forModel(recording), { url: place.gateway.url, key })
      const takesTokens = ['openai', 'openai-compatible', 'azure-openai'].includes(supplier)
      if (hasTokens(recording) && !takesTokens) return expect(response.status).toBe(400)
      expect(response.status).toBe(200)
      const vectors = vectorsIn((await response.json()) as Reply)
      // Without a wish, the sandbox makes vectors of this length, too.
      expect(vectors.map(dimensionsOf)).toEqual(Array(countOf(recording)).fill(256))
      const wantsBase64 = recording.body?.encoding_format === 'base64'
      expect(vectors.every((vector) => (typeof vector === 'string') === wantsBase64)).toBe(true)
    })
  }
})
