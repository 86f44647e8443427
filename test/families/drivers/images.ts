import { expect } from 'bun:test'
import type { FamilyDriver, FamilySupplier } from '../family-driver.ts'

const google: FamilySupplier = { type: 'google', format: 'content-generation', path: '' }

export const images: FamilyDriver = {
  name: 'images',
  kind: 'image',
  model: 'sandbox-image',
  suppliers: [
    { type: 'openai', format: 'images', path: '/v1' },
    { type: 'openai-compatible', format: 'images', path: '/v1' },
    google,
    { type: 'sandbox', format: 'images', path: '' },
    { type: 'sandbox', format: 'content-generation', path: '' },
  ],
  request: (fields) => ({
    path: '/v1/images/generations',
    body: JSON.stringify({
      model: 'sandbox-image',
      prompt: 'a fox',
      size: '256x256',
      response_format: 'b64_json',
      ...fields,
    }),
  }),
  check: async (response) => {
    const { data } = (await response.json()) as { data: { b64_json: string }[] }
    expect(data.map(({ b64_json }) => b64_json.slice(0, 11))).toEqual(['iVBORw0KGgo'])
  },
  dropped: { fields: { size: '1024x1024', quality: 'hd' }, names: ['quality'], supplier: google },
}
