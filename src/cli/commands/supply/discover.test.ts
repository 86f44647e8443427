import { afterEach, describe, expect, test } from 'bun:test'
import { discoverPrograms } from './discover.ts'

const servers: Bun.Server<unknown>[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true)
})

/** A server that answers these paths as a program does. */
function serve(answers: Readonly<Record<string, unknown>>): number {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const answer = answers[new URL(url).pathname]
      return answer === undefined ? new Response('Not Found', { status: 404 }) : Response.json(answer)
    },
  })
  servers.push(server)
  return server.port ?? 0
}

const models = (...ids: string[]) => ({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) })

describe('a program that serves models is recognised by what only it answers', () => {
  test.each([
    ['ollama', { '/api/version': { version: '0.12.6' }, '/v1/models': models('qwen3:8b', 'gpt-oss:20b') }],
    ['vllm', { '/version': { version: '0.11.0' }, '/v1/models': models('Qwen/Qwen3-8B') }],
    [
      'lm-studio',
      {
        '/api/v0/models': { object: 'list', data: [{ id: 'qwen3-8b', type: 'llm', state: 'loaded' }] },
        '/v1/models': models('qwen3-8b'),
      },
    ],
    [
      'llama-cpp',
      {
        '/props': { default_generation_settings: { n_ctx: 65_536 }, total_slots: 4, build_info: 'b8681' },
        // It also imitates a path of Ollama.
        '/api/version': { version: 'b8681' },
        '/v1/models': models('qwen3.gguf'),
      },
    ],
  ])('%s', async (vendor, answers) => {
    const port = serve(answers)
    const found = await discoverPrograms('127.0.0.1', [port])
    const ids = (answers['/v1/models'] as ReturnType<typeof models>).data.map(({ id }) => id)
    expect(found).toEqual([{ vendor, base_url: `http://127.0.0.1:${port}/v1`, models: ids }])
  })

  test('and anything else is left alone', async () => {
    const closed = serve({})
    await servers.pop()?.stop(true)
    const others = [serve({}), serve({ '/version': [1] }), serve({ '/v1/models': models('x') })]
    expect(await discoverPrograms('127.0.0.1', [closed, ...others])).toEqual([])
  })
})
