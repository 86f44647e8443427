import { FORMATS_OF_TASKS, type TaskCall, type TaskKind, taskPath } from '../wire/task-call.ts'
import { curlForm, curlJson, KEY_VARIABLE, keywords, script } from './literals.ts'

export interface TaskCodeOptions {
  readonly baseUrl: string
  /** If null, the code reads it from the environment. */
  readonly secret: string | null
}

export interface TaskCode {
  readonly curl: string
  readonly typescript: string
  readonly python: string
  /** The SDK that the last two use. */
  readonly sdk: Sdk
}

export interface Sdk {
  readonly id: string
  readonly label: string
}

/** The same request as a command, and with the SDK for its format. */
export function writeTaskCode(call: TaskCall, { baseUrl, secret }: TaskCodeOptions): TaskCode {
  const clients = FORMATS_OF_TASKS[call.kind] === 'rerank' ? cohereClients : openAiClients
  const { sdk, typescript, python } = clients({
    baseUrl,
    scriptKey: secret === null ? `process.env.${KEY_VARIABLE}` : JSON.stringify(secret),
    pythonKey: secret === null ? `os.environ["${KEY_VARIABLE}"]` : JSON.stringify(secret),
    pythonImports: secret === null ? 'import os\n' : '',
  })
  const { method, imports, scriptResult, pythonResult } = SDK_CALLS[call.kind](call)
  const head = [...imports, ...typescript].join('\n')
  return {
    sdk,
    curl: writeCurl(call, baseUrl, secret ?? `$${KEY_VARIABLE}`),
    typescript: `${head}\nconst answer = await client.${method}(${scriptArguments(call)})\n${scriptResult}`,
    python: `${python.join('\n')}\nanswer = client.${method}(${pythonArguments(call)})\n${pythonResult}`,
  }
}

function writeCurl(call: TaskCall, baseUrl: string, key: string): string {
  const { fields, file } = call
  const command = { url: `${baseUrl}${taskPath(call.kind)}`, key, fields }
  if (file !== null) return curlForm({ ...command, files: [{ field: 'file', name: file.name }] })
  return curlJson({ ...command, output: call.kind === 'speech' ? speechFile(call) : undefined })
}

function scriptArguments({ kind, fields, file }: TaskCall): string {
  const named = kind === 'rerank' ? withCamelCase(fields) : fields
  if (file === null) return script(named)
  const source = `createReadStream(${JSON.stringify(file.name)})`
  return script(named).replace('{\n', `{\n  file: ${source},\n`)
}

function pythonArguments({ fields, file }: TaskCall): string {
  const source = file === null ? '' : `\n    file=open(${JSON.stringify(file.name)}, "rb"),`
  return `${source}${keywords(fields)}`
}

/** The TypeScript SDK of this vendor spells `top_n` as `topN`. */
function withCamelCase(fields: TaskCall['fields']): TaskCall['fields'] {
  const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camel(name), value]))
}

interface SdkCall {
  readonly method: string
  readonly imports: readonly string[]
  readonly scriptResult: string
  readonly pythonResult: string
}

const SDK_CALLS: Readonly<Record<TaskKind, (call: TaskCall) => SdkCall>> = {
  embedding: () => ({
    method: 'embeddings.create',
    imports: [],
    scriptResult: 'console.log(answer.data[0].embedding)',
    pythonResult: 'print(answer.data[0].embedding)',
  }),
  rerank: () => ({
    method: 'rerank',
    imports: [],
    scriptResult: 'console.log(answer.results)',
    pythonResult: 'print(answer.results)',
  }),
  moderation: () => ({
    method: 'moderations.create',
    imports: [],
    scriptResult: 'console.log(answer.results[0])',
    pythonResult: 'print(answer.results[0])',
  }),
  speech: (call) => ({
    method: 'audio.speech.create',
    imports: ["import { writeFile } from 'node:fs/promises'"],
    scriptResult: `await writeFile('${speechFile(call)}', Buffer.from(await answer.arrayBuffer()))`,
    pythonResult: `answer.write_to_file("${speechFile(call)}")`,
  }),
  transcription: ({ fields }) => {
    const isText = fields.response_format === 'srt' || fields.response_format === 'vtt'
    return {
      method: 'audio.transcriptions.create',
      imports: ["import { createReadStream } from 'node:fs'"],
      scriptResult: `console.log(answer${isText ? '' : '.text'})`,
      pythonResult: `print(answer${isText ? '' : '.text'})`,
    }
  },
}

function speechFile({ fields }: Pick<TaskCall, 'fields'>): string {
  return `speech.${typeof fields.response_format === 'string' ? fields.response_format : 'mp3'}`
}

interface ClientNames {
  readonly baseUrl: string
  readonly scriptKey: string
  readonly pythonKey: string
  readonly pythonImports: string
}

interface Clients {
  readonly sdk: Sdk
  /** The lines that make the client. */
  readonly typescript: readonly string[]
  readonly python: readonly string[]
}

function openAiClients({ baseUrl, scriptKey, pythonKey, pythonImports }: ClientNames): Clients {
  return {
    sdk: { id: 'openai', label: 'OpenAI SDK' },
    typescript: [
      "import OpenAI from 'openai'",
      '',
      `const client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: ${scriptKey} })`,
    ],
    python: [
      `${pythonImports}from openai import OpenAI`,
      '',
      `client = OpenAI(base_url="${baseUrl}/v1", api_key=${pythonKey})`,
    ],
  }
}

function cohereClients({ baseUrl, scriptKey, pythonKey, pythonImports }: ClientNames): Clients {
  return {
    sdk: { id: 'cohere', label: 'Cohere SDK' },
    typescript: [
      "import { CohereClientV2 } from 'cohere-ai'",
      '',
      `const client = new CohereClientV2({ baseUrl: '${baseUrl}', token: ${scriptKey} })`,
    ],
    python: [
      `${pythonImports}import cohere`,
      '',
      `client = cohere.ClientV2(base_url="${baseUrl}", api_key=${pythonKey})`,
    ],
  }
}
