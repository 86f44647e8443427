import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exampleCall, TASK_KINDS, type TaskCall, taskPath } from '../wire/task-call.ts'
import { writeTaskCode } from './task-code.ts'

interface Received {
  readonly path: string
  readonly key: string | null
  readonly fields: Readonly<Record<string, unknown>>
}

/** What the SDKs need to be satisfied. */
const REPLIES: Readonly<Record<string, unknown>> = {
  '/v1/embeddings': { object: 'list', data: [{ index: 0, embedding: [0.5, 0.25] }], usage: {} },
  '/v2/rerank': { id: 'r', results: [{ index: 0, relevance_score: 0.9 }] },
  '/v1/moderations': { id: 'm', results: [{ flagged: true }] },
  '/v1/audio/transcriptions': { text: 'It works.' },
}

async function readFields(request: Request): Promise<Received['fields']> {
  if (request.headers.get('content-type')?.startsWith('application/json') === true) {
    return (await request.json()) as Received['fields']
  }
  const form = await request.formData()
  return Object.fromEntries([...form].map(([name, value]) => [name, value instanceof File ? 'file' : value]))
}

describe('code for one task', () => {
  const folder = mkdtempSync(join(tmpdir(), 'task-code-'))
  const audio = join(folder, 'it’s speech.mp3')
  let received: Received | null = null
  let server: ReturnType<typeof Bun.serve>
  beforeAll(() => {
    writeFileSync(audio, 'audio')
    server = Bun.serve({
      port: 0,
      fetch: async (request) => {
        const { pathname } = new URL(request.url)
        const key = request.headers.get('authorization')
        received = { path: pathname, key, fields: await readFields(request) }
        const reply = REPLIES[pathname]
        return reply === undefined ? new Response('bytes') : Response.json(reply)
      },
    })
  })
  afterAll(async () => {
    await server.stop(true)
    rmSync(folder, { recursive: true })
  })

  const callOf = (kind: TaskCall['kind']): TaskCall => {
    const call = exampleCall(kind, `it's "odd" $HOME`)
    const some = kind === 'rerank' ? { top_n: 1 } : kind === 'speech' ? { response_format: 'wav' } : {}
    return { ...call, fields: { ...call.fields, ...some }, file: call.file && { name: audio } }
  }
  const codeOf = (kind: TaskCall['kind']) =>
    writeTaskCode(callOf(kind), { baseUrl: `http://localhost:${server.port}`, secret: null })
  const environment = { PATH: process.env.PATH ?? '', TURNPIKE_API_KEY: 'sk-from-environment' }
  const expectSame = (kind: TaskCall['kind']) => {
    const { fields, file } = callOf(kind)
    expect(received).toMatchObject({
      path: taskPath(kind),
      key: 'Bearer sk-from-environment',
      fields: { ...fields, ...(file !== null && { file: 'file' }) },
    })
  }

  for (const kind of TASK_KINDS) {
    test(`${kind}: curl sends the request`, async () => {
      received = null
      const shell = Bun.spawn(['sh', '-c', codeOf(kind).curl], {
        cwd: folder,
        env: environment,
        stderr: 'ignore',
      })
      expect(await shell.exited).toBe(0)
      expectSame(kind)
    })

    test(`${kind}: the SDK sends the same request`, async () => {
      received = null
      // Modules are found from the working folder, and what the code writes goes elsewhere.
      const code = codeOf(kind).typescript.replace("'speech.wav'", JSON.stringify(join(folder, 'speech.wav')))
      const program = Bun.spawn([process.execPath, '-e', code], { env: environment, stdout: 'pipe' })
      const printed = await new Response(program.stdout).text()
      expect(await program.exited).toBe(0)
      expectSame(kind)
      if (kind === 'transcription') expect(printed).toContain('It works.')
    })

    test(`${kind}: writes Python with the names of the request`, () => {
      const { python } = codeOf(kind)
      for (const name of Object.keys(callOf(kind).fields)) expect(python).toContain(`    ${name}=`)
      expect(python).toContain('os.environ["TURNPIKE_API_KEY"]')
    })
  }

  test('subtitles are printed as they are', () => {
    const call = { ...callOf('transcription'), fields: { model: 'm', response_format: 'srt' } }
    const { typescript, python } = writeTaskCode(call, { baseUrl: 'http://h', secret: 'sk-1' })
    expect(typescript).toEndWith('console.log(answer)')
    expect(python).toEndWith('print(answer)')
    expect(typescript).toContain('apiKey: "sk-1"')
  })
})
