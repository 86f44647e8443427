import { expect, test } from 'bun:test'
import { RequestLines } from './pino-log.ts'
import { scrub } from './scrub.ts'

test('a request line is JSON without secrets, whatever the path', () => {
  const line = { requestId: 'req_1', method: 'GET', path: '/a"\n/sk-secret-0001', status: 404, durationMs: 3 }
  let written = ''
  const lines = new RequestLines(0, (text) => {
    written += text
  })
  lines.add(line, 30, 0)
  expect(written.indexOf('\n')).toBe(written.length - 1)
  expect(JSON.parse(written)).toMatchObject({
    ...line,
    path: '/a"\n/[redacted]',
    time: '1970-01-01T00:00:00.000Z',
  })
})

test('request lines are written together, in order', () => {
  const written: string[] = []
  const lines = new RequestLines(400, (text) => void written.push(text))
  const line = { requestId: 'req_1', method: 'GET', path: '/health', status: 200, durationMs: 3 }
  for (const requestId of ['req_1', 'req_2']) lines.add({ ...line, requestId }, 30, 0)
  expect(written).toEqual([])
  for (const requestId of ['req_3', 'req_4']) lines.add({ ...line, requestId }, 30, 0)
  lines.flush()
  lines.flush()
  expect(written.map((text) => text.match(/req_\d/g))).toEqual([['req_1', 'req_2', 'req_3'], ['req_4']])
})

test('scrub blanks keys, tokens and passwords', () => {
  const text = 'sk-abcdef op-abcdef Bearer xyz123 /p?key=hush&a=1 postgres://u:hush@h/d'
  const clean = scrub(text)
  for (const secret of ['abcdef', 'xyz123', 'hush']) expect(clean).not.toContain(secret)
  expect(clean).toContain('a=1')
})
