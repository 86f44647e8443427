import { afterAll, beforeAll, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { judge, LANGUAGES, ofLanguage, PRINTED, readSnippets, SET_UP, type Snippet } from './snippets.ts'

let gateway: TestGateway
let snippets: Snippet[]
beforeAll(async () => {
  gateway = await startTestGateway()
  snippets = readSnippets({ url: gateway.url, key: BOOTSTRAP_KEY })
})
afterAll(() => gateway.stop())

test('every task of the page is there in every language', () => {
  const tasks = [SET_UP, ...Object.keys(PRINTED)]
  for (const language of LANGUAGES) {
    const own = snippets.filter((snippet) => snippet.language === language)
    expect([language, own.map(({ task }) => task)]).toEqual([language, tasks])
  }
})

test('the curl snippets work when they are pasted', async () => {
  const { setUp, tasks } = ofLanguage(snippets, 'curl')
  for (const { task, code } of tasks) {
    const shell = Bun.spawn(['sh', '-eu'], {
      stdin: Buffer.from(`${setUp}\n${code}`),
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const [output] = await Promise.all([new Response(shell.stdout).text(), shell.exited])
    expect([judge(task, output), shell.exitCode]).toEqual([null, 0])
  }
})

const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<void>

test('the TypeScript snippets work', async () => {
  const { setUp, tasks } = ofLanguage(snippets, 'TypeScript')
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  for (const { task, code } of tasks) {
    const output: string[] = []
    const text = `${setUp}\n${code}`.replaceAll(/^import .*$/gm, '')
    const script = transpiler.transformSync(`export async function run() {\n${text}\n}`)
    const body = script.replace(/export (?=async function)/, '')
    const run = new AsyncFunction('OpenAI', 'Anthropic', 'process', 'console', `${body}\nawait run()`)
    await run(
      OpenAI,
      Anthropic,
      {
        env: { TURNPIKE_API_KEY: BOOTSTRAP_KEY },
        stdout: { write: (piece: string) => output.push(piece) },
      },
      { log: (...values: unknown[]) => output.push(values.join(' ')) },
    )
    expect(judge(task, output.join(''))).toBeNull()
  }
})
