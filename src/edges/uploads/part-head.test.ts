import { expect, test } from 'bun:test'
import { readPartHead } from './form-draft.ts'

const binary = (text: string) => Buffer.from(text).toString('latin1')

test.each([
  ['form-data; name="prompt"', { name: 'prompt', fileName: null }],
  ['form-data; name=prompt', { name: 'prompt', fileName: null }],
  ['FORM-DATA;name="a b" ; filename="x.png"', { name: 'a b', fileName: 'x.png' }],
  ['form-data; name="image[]"; filename=""', { name: 'image[]', fileName: '' }],
  ['form-data; name="image"; filename="Käse; \\"alt\\".png"', { name: 'image', fileName: 'Käse; "alt".png' }],
  ['form-data; name="image"; filename="C:\\photos\\one.png"', { name: 'image', fileName: 'one.png' }],
  ['form-data; name="image"; filename="../../etc/passwd"', { name: 'image', fileName: 'passwd' }],
  ['form-data; name="image"; filename="x\u0000\u007f.png"', { name: 'image', fileName: 'x.png' }],
])('%s is read', (disposition, head) => expect(readPartHead(binary(disposition))).toEqual(head))

test.each([
  undefined,
  '',
  'form-data',
  'form-data; filename="x.png"',
  'form-data; name=""',
  'attachment; name="image"',
  'form-data; name="image',
  'form-data; name="image" filename="x.png"',
  'form-data; name="image"; name="mask"',
  'form-data; name="image"; NAME="mask"',
  'form-data; name="\xff"',
])('%p names nothing', (disposition) => expect(readPartHead(disposition)).toBeNull())

test('a long file name is cut at its beginning', () => {
  const head = readPartHead(`form-data; name="image"; filename="${'x'.repeat(1_000)}.png"`)
  expect(head?.fileName).toHaveLength(255)
  expect(head?.fileName).toEndWith('.png')
})
