import { expect, test } from 'bun:test'
import { RequestLineWriter } from './pino-log.ts'
import { scrub } from './scrub.ts'

test('a request line is JSON without secrets, whatever the path', () => {
  const line = { requestId: 'req_1', method: 'GET', path: '/a"\n/sk-secret-0001', status: 404, durationMs: 3 }
  const written = new RequestLineWriter().write(line, 0)
  expect(written.indexOf('\n')).toBe(written.length - 1)
  expect(JSON.parse(written)).toMatchObject({
    ...line,
    path: '/a"\n/[redacted]',
    time: '1970-01-01T00:00:00.000Z',
  })
})

test('scrub blanks keys, tokens and passwords', () => {
  const text = 'sk-abcdef op-abcdef Bearer xyz123 /p?key=hush&a=1 postgres://u:hush@h/d'
  const clean = scrub(text)
  for (const secret of ['abcdef', 'xyz123', 'hush']) expect(clean).not.toContain(secret)
  expect(clean).toContain('a=1')
})
