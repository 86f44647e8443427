import { expect, test } from 'bun:test'
import { describeUnseen, readFiles } from './read-files.ts'

const file = (name: string, content: string | Uint8Array<ArrayBuffer>, type = '') =>
  new File([content], name, { type })

test('images, PDFs and texts are read, each in its own way', async () => {
  const { files, problems } = await readFiles(
    [
      file('a.png', new Uint8Array([1, 2, 255]), 'image/png'),
      file('b.pdf', '%PDF', 'application/pdf'),
      file('c.md', '# Grüße'),
    ],
    [],
  )
  expect(problems).toEqual([])
  expect(files).toEqual([
    { kind: 'image', name: 'a.png', type: 'image/png', data: 'AQL/' },
    { kind: 'pdf', name: 'b.pdf', type: 'application/pdf', data: 'JVBERg==' },
    { kind: 'text', name: 'c.md', type: 'text/plain', data: '# Grüße' },
  ])
})

test('what no model reads is refused with its name', async () => {
  const { files, problems } = await readFiles(
    [
      file('a.zip', new Uint8Array([80, 75, 255, 254]), 'application/zip'),
      file('b.bin', 'a\0b'),
      file('c.txt', ''),
      file('d.svg', '<svg/>', 'image/svg+xml'),
      file('e.log', 'x'.repeat(1024 * 1024 + 1)),
      file('f.png', new Uint8Array(21 * 1024 * 1024), 'image/png'),
    ],
    [],
  )
  // A drawing is text to a model.
  expect(files.map(({ name, kind }) => [name, kind])).toEqual([['d.svg', 'text']])
  expect(problems.map((problem) => problem.slice(0, 5))).toEqual([
    'a.zip',
    'b.bin',
    'c.txt',
    'e.log',
    'f.png',
  ])
})

test('the files that are there already count', async () => {
  const kept = Array.from({ length: 9 }, (_, index) => ({
    kind: 'text' as const,
    name: `${index}.txt`,
    type: 'text/plain',
    data: 'x',
  }))
  const { files, problems } = await readFiles([file('a.txt', 'a'), file('b.txt', 'b')], kept)
  expect(files).toHaveLength(1)
  expect(problems).toHaveLength(1)
})

test('images are refused for models that read none', () => {
  const image = { kind: 'image' } as const
  const [sees, blind] = [
    { id: 'gpt-5', vision: true },
    { id: 'llama-3', vision: false },
  ]
  expect(describeUnseen([image], [sees])).toBeNull()
  expect(describeUnseen([{ kind: 'pdf' }], [blind])).toBeNull()
  expect(describeUnseen([image], [sees, blind])).toBe('llama-3 reads no images')
  expect(describeUnseen([image], [blind, { ...blind, id: 'qwen' }])).toBe('llama-3 and qwen read no images')
})
