import { expect, test } from 'bun:test'
import { textIn } from './block-text.ts'

test.each([
  [
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Once.' }, title: 'Tale' },
    '<document>\nTale\nOnce.\n</document>',
  ],
  [
    {
      type: 'document',
      source: {
        type: 'content',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    },
    '<document>\na\nb\n</document>',
  ],
  [
    {
      type: 'search_result',
      title: 'T',
      source: 'https://x.example',
      content: [{ type: 'text', text: 'found' }],
    },
    '<document>\nT\nhttps://x.example\nfound\n</document>',
  ],
  [{ type: 'compaction', content: 'So far so good.' }, 'So far so good.'],
])('%j is text', (block, text) => {
  expect(textIn(block)).toBe(text)
})

test.each([
  { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
  { type: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } },
  { type: 'document', source: { type: 'content', content: [{ type: 'image', source: {} }] } },
  { type: 'document' },
  { type: 'compaction', content: null },
  { type: 'novelty', content: 'x' },
])('%j is not', (block) => {
  expect(textIn(block)).toBeNull()
})
