import { join } from 'node:path'
import { runProgram } from '../agents/run-program.ts'
import {
  createKeyFor,
  supplyByFormat,
  TEXT_FORMATS,
  type TextFormat,
} from '../captures/suppliers-by-format.ts'
import {
  MODEL as EMBEDDING_MODEL,
  SUPPLIERS as EMBEDDING_SUPPLIERS,
  startEmbeddingGateway,
} from '../families/embeddings/suppliers.ts'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { complyFormats, runComply } from './comply.ts'
import { installPython, type Python } from './install.ts'
import { anthropicCases } from './javascript/anthropic.ts'
import { type CaseResult, type Cases, type Connection, runCases } from './javascript/cases.ts'
import { genaiCases } from './javascript/genai.ts'
import { openaiCases } from './javascript/openai.ts'

/** By name, llm-comply skips what it believes a model cannot do. */
const MODELS: Readonly<Record<TextFormat, string>> = {
  'chat-completion': 'gpt-5',
  responses: 'gpt-5',
  messages: 'claude-opus-5',
  'content-generation': 'gemini-2.5-flash',
}
/** Talks, calls tools and follows schemas. */
const UPSTREAM_MODEL = 'sandbox-tools'
const CASES_SECONDS = 240

/** One client in one language, which runs all of its cases against one supplier. */
interface Suite {
  readonly name: string
  readonly version: string
  readonly formats: readonly TextFormat[]
  run(connection: Connection): Promise<readonly CaseResult[]>
}

function pythonSuite(python: Python, name: string, formats: readonly TextFormat[]): Suite {
  const script = join(import.meta.dir, 'python', `${name.replace('google-', '')}_cases.py`)
  return {
    name: `Python ${name}`,
    version: python.versions[name] ?? '',
    formats,
    run: async ({ url, key, openKey, model }) => {
      const { exitCode, output } = await runProgram({
        command: [python.path, script],
        folder: python.folder,
        environment: {
          PATH: process.env.PATH ?? '',
          HOME: python.folder,
          PYTHONDONTWRITEBYTECODE: '1',
          GATEWAY_URL: url,
          GATEWAY_KEY: key,
          GATEWAY_OPEN_KEY: openKey,
          GATEWAY_MODEL: model,
        },
        timeoutSeconds: CASES_SECONDS,
      })
      const lines = output.split('\n').filter((line) => line.startsWith('{"case"'))
      const results = lines.map((line) => JSON.parse(line) as CaseResult)
      if (exitCode === 0 && results.length > 0) return results
      return [...results, { case: 'all', problem: `it ended with ${exitCode}: ${output.slice(-500)}` }]
    },
  }
}

async function javascriptSuite(name: string, cases: Cases, formats: readonly TextFormat[]): Promise<Suite> {
  const { version } = (await Bun.file(
    join(import.meta.dir, '../../node_modules', name, 'package.json'),
  ).json()) as { version: string }
  return { name: `JavaScript ${name}`, version, formats, run: (connection) => runCases(cases, connection) }
}

async function suites(python: Python): Promise<readonly Suite[]> {
  return [
    pythonSuite(python, 'openai', ['chat-completion', 'responses']),
    pythonSuite(python, 'anthropic', ['messages']),
    pythonSuite(python, 'google-genai', ['content-generation']),
    await javascriptSuite('openai', openaiCases, ['chat-completion', 'responses']),
    await javascriptSuite('@anthropic-ai/sdk', anthropicCases, ['messages']),
    await javascriptSuite('@google/genai', genaiCases, ['content-generation']),
    ...complyFormats.map((format) => ({
      name: `llm-comply ${format.name}`,
      version: python.versions['llm-comply'] ?? '',
      formats: [format.speaks],
      run: (connection: Connection) => runComply(python, format, connection),
    })),
  ]
}

/** The embeddings of the Python clients, LangChain and LlamaIndex, with every kind of supplier that embeds. */
async function tryEmbeddings(python: Python): Promise<readonly string[]> {
  const suite = pythonSuite(python, 'embeddings', [])
  const place = await startEmbeddingGateway()
  const problems: string[] = []
  try {
    for (const supplier of EMBEDDING_SUPPLIERS) {
      const { secret } = place.keyOf(supplier)
      const connection = { url: place.gateway.url, key: secret, openKey: secret, model: EMBEDDING_MODEL }
      problems.push(...report(suite, supplier, await suite.run(connection)))
    }
  } finally {
    await place.stop()
  }
  return problems
}

async function trySuite(suite: Suite, gateway: TestGateway): Promise<readonly string[]> {
  const problems: string[] = []
  const model = MODELS[suite.formats[0] ?? 'responses']
  for (const supplier of TEXT_FORMATS) {
    const { secret } = await createKeyFor(gateway, supplier)
    const results = await suite.run({ url: gateway.url, key: secret, openKey: BOOTSTRAP_KEY, model })
    const lane = suite.formats.includes(supplier) ? `${supplier} (relayed)` : supplier
    problems.push(...report(suite, lane, results))
  }
  return problems
}

/** Prints how a suite went. Returns what failed. */
function report(suite: Suite, lane: string, results: readonly CaseResult[]): readonly string[] {
  const failed = results.filter(({ problem }) => problem !== null)
  const passed = `${results.length - failed.length} of ${results.length}`
  console.log(
    [suite.name, suite.version, lane, passed].map((cell, at) => cell.padEnd(PADS[at] ?? 0)).join(' '),
  )
  for (const { case: name, problem } of failed)
    console.log(`    ${name}: ${problem?.replaceAll('\n', ' ').slice(0, 300)}`)
  return failed.map(({ case: name }) => `${suite.name} to ${lane}: ${name}`)
}

const PADS = [34, 10, 30]

/** Words on the command line choose suites by their names; none chooses all. */
async function main(words: readonly string[]): Promise<number> {
  const python = await installPython()
  const gateway = await startTestGateway()
  try {
    await supplyByFormat(gateway, { models: new Set(Object.values(MODELS)), upstreamModel: UPSTREAM_MODEL })
    const chosen = (await suites(python)).filter(({ name }) =>
      words.every((word) => name.toLowerCase().includes(word.toLowerCase())),
    )
    const problems: string[] = []
    for (const suite of chosen) problems.push(...(await trySuite(suite, gateway)))
    const wantsEmbeddings = words.every((word) => 'python embeddings'.includes(word.toLowerCase()))
    if (wantsEmbeddings) problems.push(...(await tryEmbeddings(python)))
    console.log(problems.length === 0 ? '\nAll passed.' : `\n${problems.length} failed.`)
    return (chosen.length > 0 || wantsEmbeddings) && problems.length === 0 ? 0 : 1
  } finally {
    await gateway.stop()
  }
}

process.exit(await main(process.argv.slice(2)))
