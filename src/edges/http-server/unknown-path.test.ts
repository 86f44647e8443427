import { expect, test } from 'bun:test'
import { unknownPath } from './unknown-path.ts'

test.each([
  ['/v1/files', 'files'],
  ['/v1/files/file-1/content', 'files'],
  ['/v1/uploads/upload_1/parts', 'uploads'],
  ['/v1/batches/batch_1/cancel', 'batches'],
  ['/v1/messages/batches', 'batches'],
  ['/v1/fine_tuning/jobs', 'fine-tuning'],
  ['/v1/vector_stores/vs_1/search', 'vector stores'],
  ['/v1/assistants', 'assistants'],
  ['/v1/threads/runs', 'threads'],
  ['/v1/realtime/client_secrets', 'realtime sessions'],
  ['/v1/videos', 'videos'],
  ['/v1/evals/eval_1/runs', 'evals'],
  ['/v1/containers', 'containers'],
  ['/upload/v1beta/files', 'files'],
  ['/v1beta/cachedContents/x', 'cached contents'],
])('%s names what is absent', (path, name) => {
  const error = unknownPath(path)
  expect([error.code, error.status]).toEqual(['not_found', 404])
  expect(error.message).toStartWith(`There is nothing at "${path}": this gateway does not have ${name}.`)
})

test('image variations lead to edits', () => {
  expect(unknownPath('/v1/images/variations').message).toContain('Use POST /v1/images/edits')
})

test.each(['/', '/v1', '/v1/filesystem', '/files', '/v1/constructor', '/v1/chat/files'])(
  '%s is just unknown',
  (path) =>
    expect(unknownPath(path).message).toBe(
      `There is nothing at "${path}". The endpoints are listed at /docs.`,
    ),
)

test('a doubled version is explained', () => {
  expect(unknownPath('/v1/v1/files').message).toContain('/v1 twice')
})
